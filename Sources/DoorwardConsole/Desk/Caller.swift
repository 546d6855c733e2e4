package import DoorwardConfig

/// A person who gives commands, as a way in has recognised them.
package struct Caller: Hashable, Sendable {
    /// The name that stands in the history.
    package var name: String
    package var role: OperatorConfiguration.Role

    package init(name: String, role: OperatorConfiguration.Role) {
        self.name = name
        self.role = role
    }

    /// Whether the role is that one or a more powerful one.
    package func may(_ least: OperatorConfiguration.Role) -> Bool { rank(of: role) >= rank(of: least) }
}

private func rank(of role: OperatorConfiguration.Role) -> Int {
    switch role {
    case .viewer: 0
    case .operator: 1
    case .admin: 2
    }
}
