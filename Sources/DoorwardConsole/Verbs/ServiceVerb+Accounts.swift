import DoorwardConfig
import DoorwardRuntime
import XMPPCore

/// The commands about an account's contacts, pictures, block list and invitations.
extension ServiceVerb {
    static let roster = ServiceVerb(
        .viewer, arguments: { invocation throws(UsageError) in try ContactCommandWords.arguments(of: invocation) },
        perform: { model, arguments, _ in try await model.roster(arguments) },
        words: {
            if $0.invocation.has("resources") { return $0.contacts.resources($0.data, account: $0.account) }
            let isPart = $0.invocation.has("search") || $0.invocation.has("group")
            return $0.contacts.roster($0.data, account: $0.account, isPart: isPart)
        })

    static let contactList = ServiceVerb(
        .viewer, arguments: { invocation throws(UsageError) in try ContactCommandWords.arguments(of: invocation) },
        perform: { model, arguments, _ in try await model.contacts(arguments) },
        words: {
            $0.contacts.list(
                $0.data, account: $0.account, asked: $0.invocation.has("asked"), gone: $0.invocation.has("gone"))
        })

    static let contactAdd = change(["name", "groups", "message", "preapprove"], words: { $0.contacts.added($0.data) }) {
        arguments in
        .add(
            .init(
                name: try arguments.contactName(), groups: try arguments.groups("groups"),
                message: try arguments.text("message", limit: 4096), preApproves: try arguments.flag("preapprove")))
    }

    static let contactRename = change(
        ["name"], words: { $0.contacts.changed($0.data) },
        reads: { invocation, members throws(UsageError) in
            if let name = invocation.arguments.dropFirst(2).first { members.append(JSONMember("name", .string(name))) }
        }
    ) { arguments in
        .rename(try arguments.contactName())
    }

    static let contactGroup = change(
        ["add", "remove"], words: { $0.contacts.changed($0.data) },
        reads: { invocation, _ throws(UsageError) in
            if invocation.lists.isEmpty { throw UsageError("'contact group' needs --add GROUP or --remove GROUP") }
        }
    ) { arguments in
        let (adding, removing) = (try arguments.groups("add"), try arguments.groups("remove", areNew: false))
        guard !adding.isEmpty || !removing.isEmpty else {
            throw CommandArguments.Mistake(text: "name a group with --add or --remove")
        }
        if let both = adding.first(where: { group in removing.contains { $0.utf8.elementsEqual(group.utf8) } }) {
            throw CommandArguments.Mistake(text: "--add and --remove both name '\(both)': leave one out")
        }
        return .group(adding: adding, removing: removing)
    }

    static let contactUnsubscribe = change([], words: { $0.contacts.unsubscribed($0.data) }) { _ in .unsubscribe }
    static let contactRevoke = change([], words: { $0.contacts.revoked($0.data) }) { _ in .revoke }
    static let contactRemove = change([], words: { $0.contacts.removed($0.data) }) { _ in .remove }

    static let avatar = ServiceVerb(
        .viewer, arguments: { invocation throws(UsageError) in try AvatarCommandWords.arguments(of: invocation) },
        perform: { model, arguments, caller in
            let arguments = try CommandArguments(arguments, known: ["account", "contact", "fresh", "set"])
            return try await model.avatar(arguments, by: caller)
        },
        words: { AvatarCommandWords.words($0.data, $0.invocation) }
    ).with { $0.received = AvatarCommandWords.save }

    static let blockAdd = ServiceVerb(
        .operator,
        arguments: { invocation throws(UsageError) in
            try BlockCommandWords.arguments(of: invocation) + invocation.members(of: "report", "text")
        },
        perform: { try await $0.block($1, $2) },
        words: { BlockCommandWords.added($0.data, account: $0.account) })

    static let blockRemove = ServiceVerb(
        .operator, arguments: { invocation throws(UsageError) in try BlockCommandWords.arguments(of: invocation) },
        perform: { try await $0.unblock($1, $2) },
        words: { BlockCommandWords.removed($0.data, account: $0.account) })

    static let blockList = ServiceVerb(
        .viewer, arguments: { invocation throws(UsageError) in try BlockCommandWords.arguments(of: invocation) },
        perform: { model, arguments, _ in try await model.blockList(arguments) },
        words: { BlockCommandWords.list($0.data, account: $0.account, width: $0.output.width) })

    static let invite = ServiceVerb(
        .operator, arguments: { invocation throws(UsageError) in try InviteCommandWords.arguments(of: invocation) },
        perform: { try await $0.invite($1, $2) },
        words: { InviteCommandWords.made($0.data, $0.invocation, $0.output) })

    static let inviteList = ServiceVerb(
        .viewer,
        arguments: { invocation throws(UsageError) in
            try InviteCommandWords.arguments(of: invocation) + invocation.members(ifSet: "all")
        },
        perform: { model, arguments, _ in try await model.invitations(arguments) },
        words: { InviteCommandWords.list($0.data, all: $0.invocation.has("all"), width: $0.output.width) })

    static let inviteRevoke = ServiceVerb(
        .operator,
        arguments: { invocation throws(UsageError) in [try InviteCommandWords.ids(invocation)] },
        perform: { try await $0.revokeInvitations($1, $2) },
        words: { InviteCommandWords.revoked($0.data) }
    ).with { $0.hasWordsForRefusals = true }

    /// A change of one contact.
    private static func change(
        _ known: Set<String>, words: @escaping Words,
        reads: @escaping @Sendable (Invocation, inout [JSONMember]) throws(UsageError) -> Void = {
            _, _ throws(UsageError) in
        },
        order: @escaping @Sendable (CommandArguments) throws -> ContactOrder
    ) -> ServiceVerb {
        ServiceVerb(
            .operator,
            arguments: { invocation throws(UsageError) in
                var members = try ContactCommandWords.arguments(of: invocation)
                try reads(invocation, &members)
                return members
            },
            perform: { model, arguments, caller in
                let arguments = try CommandArguments(arguments, known: known.union(["account", "contact"]))
                return try await model.contact(arguments, try order(arguments), caller)
            },
            words: words)
    }
}
