import XMPPCore

/// Reads the arguments of a command that came over a socket; what is not understood is refused, never ignored.
struct CommandArguments {
    struct Mistake: Error {
        var text: String
    }

    private let members: [JSONMember]

    /// All of them, as they came.
    var object: JSONValue { .object(members.filter { $0.key != "skip" }) }

    /// Takes the object of arguments; null is the empty one.
    ///
    /// - Parameters:
    ///   - value: What came.
    ///   - known: The names that the command takes.
    /// - Throws: `Mistake` for another value, or for a name that is not known.
    init(_ value: JSONValue, known: Set<String>) throws(Mistake) {
        if value.isNull {
            members = []
            return
        }
        guard let members = value.members else { throw Mistake(text: "'arguments' is an object") }
        for member in members where !known.contains(member.key) {
            throw Mistake(text: "unknown argument '\(member.key)'")
        }
        self.members = members
    }

    subscript(name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.key == name })?.value, !value.isNull else { return nil }
        return value
    }

    func has(_ name: String) -> Bool { self[name] != nil }

    func value(_ name: String) -> JSONValue? { self[name] }

    func flag(_ name: String) throws(Mistake) -> Bool {
        guard let value = self[name] else { return false }
        guard let flag = value.bool else { throw Mistake(text: "'\(name)' is true or false") }
        return flag
    }

    func address(_ name: String) throws(Mistake) -> BareJID? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw Mistake(text: "'\(name)' is an address") }
        do { return try BareJID(text) } catch { throw Mistake(text: "'\(name)' is \(error.description)") }
    }

    func number(_ name: String, in range: ClosedRange<Int>, default: Int) throws(Mistake) -> Int {
        guard let value = self[name] else { return `default` }
        guard let number = value.integer, let narrow = Int(exactly: number), range.contains(narrow) else {
            throw Mistake(text: "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return narrow
    }

    /// One of the words of a kind.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, of kind: Word.Type
    ) throws(Mistake) -> Word? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, let word = Word(rawValue: text) else {
            throw Mistake(text: "'\(name)' is one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// Addresses with or without a resource, each once, at least one.
    func addresses(_ name: String, limit: Int) throws(Mistake) -> [JID] {
        guard let values = self[name]?.array, !values.isEmpty else { throw Mistake(text: "'\(name)' needs an address") }
        guard values.count <= limit else { throw Mistake(text: "at most \(limit) addresses in one command") }
        var addresses: [JID] = []
        var seen: Set<JID> = []
        for value in values {
            guard let text = value.string else { throw Mistake(text: "'\(name)' holds addresses") }
            let address: JID
            do { address = try JID(text) } catch { throw Mistake(text: "'\(text)' is \(error.description)") }
            if seen.insert(address).inserted { addresses.append(address) }
        }
        return addresses
    }

    func historyID(_ name: String) throws(Mistake) -> Int64? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, let number = HistoryID.number(text) else {
            throw Mistake(text: "'\(name)' is an id of a history row, such as \"h123\"")
        }
        return number
    }

    /// Requests, each once, at least one.
    func requests(_ name: String, limit: Int) throws(Mistake) -> [RequestReference] {
        guard let values = self[name]?.array, !values.isEmpty else { throw Mistake(text: "'\(name)' needs an id") }
        guard values.count <= limit else { throw Mistake(text: "at most \(limit) ids in one command") }
        var references: [RequestReference] = []
        var seen: Set<Int64> = []
        for value in values {
            guard let text = value.string else {
                throw Mistake(text: "'\(name)' holds texts such as \"17\" or \"17@2\"")
            }
            guard let reference = RequestReference(text) else {
                throw Mistake(
                    text: "'\(text)' is no id of a request; 'doorward pending' shows them, such as 17 or 17@2"
                )
            }
            guard seen.insert(reference.id).inserted else { throw Mistake(text: "\(reference.id) stands twice") }
            references.append(reference)
        }
        return references
    }
}
