import XMPPClient

extension ModuleStatus {
    /// An object of `modules` in `status`.
    var json: JSONValue {
        .object([
            "name": .string(name), "state": .string(state.word), "reason": .text(state.reason),
            "handled": .integer(handled), "waiting": .integer(waiting), "dropped": .integer(dropped),
            "errors": .integer(errors),
        ])
    }
}
