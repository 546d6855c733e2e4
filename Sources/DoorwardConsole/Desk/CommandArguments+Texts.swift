import DoorwardRuntime
import XMPPCore

/// Names, groups and other texts that go to a server.
extension CommandArguments {
    func account() throws(Mistake) -> BareJID {
        guard let account = try address("account") else { throw Mistake(text: "'account' is the account's address") }
        return account
    }

    /// A text that can be sent; an empty one is none.
    func text(_ name: String, limit: Int = ContactText.limit) throws(Mistake) -> String? {
        try text(name, "'\(name)'", limit: limit)
    }

    /// What a contact is called, without blanks around it; an empty one is none.
    func contactName() throws(Mistake) -> String? {
        guard let text = try text("name", "the name", limit: ContactText.limit) else { return nil }
        let name = try Self.shown(text, "the name")
        return name.isEmpty ? nil : name
    }

    /// Groups, each once.
    ///
    /// - Parameters:
    ///   - name: Of the argument.
    ///   - areNew: Whether a contact is put into them; out of those that another client has made it can be taken whatever
    ///     they are called.
    /// - Throws: `Mistake`.
    /// - Returns: The groups; new ones without blanks around them.
    func groups(_ name: String, areNew: Bool = true) throws(Mistake) -> [String] {
        guard has(name) else { return [] }
        guard let values = value(name)?.array else { throw Mistake(text: "'\(name)' is a list of groups") }
        guard values.count <= CommandTable.groupLimit else {
            throw Mistake(text: "at most \(CommandTable.groupLimit) groups in one command")
        }
        var groups: [String] = []
        for value in values {
            guard let text = value.string else { throw Mistake(text: "a group is a text") }
            var group = try Self.checked(text, "a group", ContactText.limit)
            if areNew { group = try Self.shown(group, "a group") }
            guard !group.isEmpty else { throw Mistake(text: "a group has a name") }
            if !groups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) { groups.append(group) }
        }
        return groups
    }

    private func text(_ name: String, _ what: String, limit: Int) throws(Mistake) -> String? {
        guard has(name) else { return nil }
        guard let text = value(name)?.string else { throw Mistake(text: "'\(name)' is a text") }
        return text.isEmpty ? nil : try Self.checked(text, what, limit)
    }

    /// What can be sent to a server.
    private static func checked(_ text: String, _ what: String, _ limit: Int) throws(Mistake) -> String {
        do throws(ContactText.Fault) {
            try ContactText.check(text, limit: limit)
            return text
        } catch {
            throw Mistake(text: "\(what) \(error.text)")
        }
    }

    /// What lists show of a contact, without blanks around it.
    private static func shown(_ text: String, _ what: String) throws(Mistake) -> String {
        do throws(ContactText.Fault) {
            return try ContactText.shown(text)
        } catch {
            throw Mistake(text: "\(what) \(error.text)")
        }
    }
}
