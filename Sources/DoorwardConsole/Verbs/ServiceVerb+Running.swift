import DoorwardConfig
import XMPPCore

/// The commands about the service as a whole.
extension ServiceVerb {
    static let status = ServiceVerb(
        .viewer,
        perform: { model, arguments, _ in
            _ = try CommandArguments(arguments, known: [])
            return CommandResult(data: try await model.status())
        },
        words: { $0.service.status($0.data) })

    static let alerts = ServiceVerb(
        .viewer, arguments: { invocation throws(UsageError) in invocation.members(ifSet: "all") },
        perform: { model, arguments, _ in
            let rows = try await model.service.alerts(all: CommandArguments(arguments, known: ["all"]).flag("all"))
            return CommandResult(data: .array(rows.map { $0.json(full: true) }))
        },
        words: { $0.service.alerts($0.data, all: $0.invocation.has("all")) })

    static let reload = ServiceVerb(
        .admin,
        perform: { model, arguments, _ in
            _ = try CommandArguments(arguments, known: [])
            return model.reloaded(await model.service.reload())
        },
        words: { $0.status == .done ? $0.service.reload($0.data) : $0.service.faults($0.data) }
    ).with { $0.hasWordsForRefusals = true }

    static let accountTrustAgain = ServiceVerb(
        .admin, arguments: { invocation throws(UsageError) in [try invocation.accountMember()] },
        perform: { try await $0.trustAgain($1, $2) },
        words: { ["\($0.account) forgets how its logins went, and connects anew"] })
}
