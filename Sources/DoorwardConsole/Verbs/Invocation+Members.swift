import XMPPCore

/// Parts of a command line, as the members of a request.
extension Invocation {
    /// The flags that are there and take nothing.
    func members(ifSet names: String...) -> [JSONMember] {
        names.filter { has($0) }.map { JSONMember($0, .bool(true)) }
    }

    /// The flags that are there, with their values.
    func members(of names: String...) -> [JSONMember] {
        names.compactMap { name in self[name].map { JSONMember(name, .string($0)) } }
    }

    /// The first argument, which is an account of the configuration.
    func accountMember() throws(UsageError) -> JSONMember {
        let account = arguments.first ?? ""
        do { return JSONMember("account", .string(try BareJID(account).description)) } catch {
            throw UsageError(
                "'\(account)' is \(error.description); give the account's address, such as support@example.org")
        }
    }
}
