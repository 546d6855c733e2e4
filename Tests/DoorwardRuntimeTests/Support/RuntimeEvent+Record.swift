import DoorwardRuntime

extension RuntimeEvent {
    /// Whether it tells of a row that was just written by an account.
    var isRecord: Bool {
        switch self {
        case .decided, .confirmed, .closed: true
        case _: false
        }
    }
}
