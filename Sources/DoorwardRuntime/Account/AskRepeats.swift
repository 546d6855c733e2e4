import XMPPCore

/// Contacts who were asked, and whose servers could not be reached: they are asked again once an hour, until their servers
/// take it.
///
/// An error to wait for says that trying again is right (RFC 6120 section 8.3.2). Prosody asks again at each login, ejabberd
/// never.
struct AskRepeats {
    private enum State {
        /// Not delivered.
        case failed
        /// Asked again since, and nothing came back yet.
        case repeated
    }

    static let pause = Duration.seconds(3600)
    /// Of further ones the next login thinks.
    static let limit = 1000

    private var states: [BareJID: State] = [:]
    private var due: Duration?

    /// The request came back.
    ///
    /// - Returns: Whether that is new.
    mutating func failed(_ contact: BareJID, at now: Duration) -> Bool {
        guard states[contact] != nil || states.count < Self.limit else { return true }
        due = due ?? now + Self.pause
        return states.updateValue(.failed, forKey: contact) == nil
    }

    /// It came back before this session began: it is asked again at once.
    mutating func takeUp(_ contact: BareJID, at now: Duration) {
        guard states[contact] == nil, states.count < Self.limit else { return }
        states[contact] = .failed
        due = now
    }

    mutating func forget(_ contact: BareJID) { states[contact] = nil }

    /// What is due now.
    ///
    /// - Returns: Whom to ask again, and whose servers have had it since.
    mutating func take(at now: Duration) -> (again: [BareJID], delivered: [BareJID]) {
        guard let due, due <= now else { return ([], []) }
        let again = states.filter { $0.value == .failed }.map(\.key)
        let delivered = states.filter { $0.value == .repeated }.map(\.key)
        states = Dictionary(uniqueKeysWithValues: again.map { ($0, .repeated) })
        self.due = again.isEmpty ? nil : now + Self.pause
        return (again, delivered)
    }
}
