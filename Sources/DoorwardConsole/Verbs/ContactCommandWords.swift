import XMPPCore

/// The arguments of the commands about contacts; their words are of `ContactRenderer`.
enum ContactCommandWords {
    static func arguments(of invocation: Invocation) throws(UsageError) -> [JSONMember] {
        var members: [JSONMember] = []
        let names = ["account", "contact"]
        for (name, word) in zip(names, invocation.arguments) {
            members.append(JSONMember(name, .string(try address(word, name))))
        }
        for flag in ["name", "message", "search", "sort"] {
            if let value = invocation[flag] { members.append(JSONMember(flag, .string(value))) }
        }
        if let group = invocation["group"] { members.append(JSONMember("group", .string(group))) }
        if let groups = invocation.lists["group"] { members.append(JSONMember("groups", .strings(groups))) }
        for flag in ["add", "remove"] {
            if let groups = invocation.lists[flag] { members.append(JSONMember(flag, .strings(groups))) }
        }
        for flag in ["preapprove", "asked", "gone"] where invocation.has(flag) {
            members.append(JSONMember(flag, .bool(true)))
        }
        if invocation.has("asked"), invocation.has("gone") {
            throw UsageError("--asked and --gone contradict each other: leave one out")
        }
        return members
    }

    /// An address without its resource: contacts have none (RFC 6121 section 3.1.1).
    private static func address(_ word: String, _ name: String) throws(UsageError) -> String {
        do {
            return try JID(word).bare.description
        } catch {
            throw UsageError(
                "'\(word)' is \(error.description); give the \(name)'s address, such as"
                    + " \(name == "account" ? "support@example.org" : "ann@example.net")")
        }
    }
}
