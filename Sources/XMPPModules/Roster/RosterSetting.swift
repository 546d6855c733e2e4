import XMPPCore

/// What was asked of the server for an item and is not seen in the roster yet.
///
/// The next change of the same item starts from here: from the roster, which does not show it yet, it would undo it, since
/// an item is set as a whole. The server may push before it answers or behind (RFC 6121 section 2.1.6 orders neither), so a
/// setting is over once it has done both.
struct RosterSetting {
    var name: String?
    var groups: [String]
    /// Requests that were sent and not refused.
    private var asked = 0
    private var answered = 0
    private var pushed = 0

    init(name: String?, groups: [String]) {
        self.name = name
        self.groups = groups
    }

    /// The same item with what is asked for next.
    mutating func ask(name: String?, groups: [String]) {
        (self.name, self.groups) = (name, groups)
        asked += 1
    }

    mutating func answer(isRefused: Bool) {
        if isRefused { asked -= 1 } else { answered += 1 }
    }

    mutating func push() { pushed += 1 }

    /// Whether every request is answered; then a removal by somebody else ends it too.
    var isAnswered: Bool { answered >= asked }

    /// Whether nothing is to come: each request is answered, and shows in the roster.
    ///
    /// - Parameter item: As the roster has it.
    /// - Returns: Also where the server has pushed nothing, as it need not where nothing has changed.
    func isOver(_ item: RosterItem?) -> Bool {
        guard isAnswered else { return false }
        guard let item else { return asked == 0 }
        return pushed >= asked || (sameBytes(item.name, name) && sameTexts(groups, item.groups))
    }
}
