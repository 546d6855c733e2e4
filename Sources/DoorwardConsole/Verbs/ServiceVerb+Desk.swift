import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPCore

/// The commands about requests that wait, and about what became of them.
extension ServiceVerb {
    static let pending = ServiceVerb(
        .viewer,
        arguments: { invocation throws(UsageError) in
            guard !invocation.arguments.isEmpty else {
                return invocation.members(ifSet: "all") + invocation.members(of: "account")
            }
            for id in invocation.arguments where RequestReference(id)?.version != nil || RequestReference(id) == nil {
                throw UsageError("'\(id)' is no number of a request; 'doorward pending' shows them, such as 17")
            }
            if let flag = ["all", "account"].first(where: { invocation.has($0) }) {
                throw UsageError("--\(flag) and the number of a request contradict each other: leave one out")
            }
            return [JSONMember("ids", .strings(invocation.arguments))]
        },
        perform: { model, arguments, _ in
            try await model.pending(CommandArguments(arguments, known: ["all", "account", "after", "ids"]))
        },
        words: { answer in
            guard answer.invocation.arguments.isEmpty else { return answer.desk.requests(answer.data) }
            guard answer.status == .done else { return [] }
            return answer.desk.pending(answer.data, all: answer.invocation.has("all"))
        }
    ).with { $0.hasWordsForRefusals = true }

    static let accept = ServiceVerb(
        .operator, arguments: { invocation throws(UsageError) in [try ids(invocation)] },
        perform: { model, arguments, caller in
            let arguments = try CommandArguments(arguments, known: ["ids"])
            return try await model.answer(arguments, .accept(Acceptance()), steps: [.verdict], by: caller)
        },
        words: { $0.desk.answered($0.data, accepted: true) }
    ).with(answersEach)

    static let reject = ServiceVerb(
        .operator,
        arguments: { invocation throws(UsageError) in
            [try ids(invocation)] + invocation.members(ifSet: "block") + invocation.members(of: "report")
        },
        perform: { model, arguments, caller in
            let arguments = try CommandArguments(arguments, known: ["ids", "block", "report"])
            let report = try arguments.word("report", of: Rejection.Report.self)
            let rejection = Rejection(block: try arguments.flag("block"), report: report)
            let steps: [OutboxStep.Kind] = rejection.block ? [.verdict, .block] : [.verdict]
            return try await model.answer(arguments, .reject(rejection), steps: steps, by: caller)
        },
        words: {
            $0.desk.answered(
                $0.data, accepted: false, blocked: $0.invocation.has("block") || $0.invocation.has("report"))
        }
    ).with(answersEach)

    static let history = ServiceVerb(
        .viewer,
        arguments: { invocation throws(UsageError) in
            // Words say whether there are older rows, so they need to see one more.
            let limit = historyLimit(invocation) + (invocation.json ? 0 : 1)
            return invocation.members(of: "account", "before") + [JSONMember("limit", .integer(limit))]
        },
        perform: { model, arguments, _ in
            try await model.history(CommandArguments(arguments, known: ["limit", "before", "account"]))
        },
        words: { answer in
            let flags = ["account", "limit", "config", "overlay"].compactMap { name in
                answer.invocation[name].map { " --\(name) " + shellQuoted($0) }
            }
            return answer.desk.history(
                answer.data, limit: historyLimit(answer.invocation), isLater: answer.invocation.has("before"),
                flags: flags.joined())
        })

    private static func historyLimit(_ invocation: Invocation) -> Int {
        invocation["limit"].flatMap { Int($0) } ?? 100
    }

    private static func ids(_ invocation: Invocation) throws(UsageError) -> JSONMember {
        for id in invocation.arguments where RequestReference(id) == nil {
            throw UsageError("'\(id)' is no id of a request; 'doorward pending' shows them, such as 17 or 17@2")
        }
        return JSONMember("ids", .strings(invocation.arguments))
    }

    /// An answer's data has an object for each id, also where some were refused, or the caller may give none.
    private static func answersEach(_ verb: inout ServiceVerb) {
        verb.hasWordsForRefusals = true
        verb.refusal = { arguments, error in
            let ids = try? CommandArguments(arguments, known: ["ids", "block", "report"])
                .requests("ids", limit: CommandTable.answerLimit)
            return ids.map { .array($0.map { AnswerReport.unknown($0.id, error) }) } ?? .null
        }
    }
}
