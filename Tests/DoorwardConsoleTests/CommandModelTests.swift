import DoorwardConfig
import DoorwardConsole
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@Suite("The command model")
struct CommandModelTests {
    let admin = Caller(name: "root", role: .admin)

    func model(_ service: FakeService) -> CommandModel { CommandModel(service: service) { Samples.now } }

    // MARK: Roles

    static let commands = [
        ("status", OperatorConfiguration.Role.viewer), ("alerts", .viewer), ("pending", .viewer), ("history", .viewer),
        ("roster", .viewer), ("accept", .operator), ("reject", .operator), ("reload", .admin),
    ]

    @Test(
        "lets a role do what it may, and reaches the service for nothing else",
        arguments: commands,
        OperatorConfiguration.Role.allCases
    )
    func roles(command: (String, OperatorConfiguration.Role), role: OperatorConfiguration.Role) async {
        let service = FakeService(requests: [Samples.request()])
        let arguments: JSONValue =
            switch command.0 {
            case "accept", "reject": .object(["ids": .strings(["17"])])
            case "roster": .object(["account": .string("support@doorward.test")])
            default: .null
            }
        let order = OperatorConfiguration.Role.allCases
        let may = (order.firstIndex(of: role) ?? 0) >= (order.firstIndex(of: command.1) ?? 0)
        let result = await model(service).perform(command.0, arguments: arguments, by: Caller(name: "ben", role: role))
        let calls = await service.calls
        #expect(calls.isEmpty == !may)
        if !may {
            #expect(result.status == .refused)
            #expect(result.error?.contains("needs the role \(command.1.rawValue); ben has \(role.rawValue)") ?? false)
        }
    }

    @Test(
        "answers unknown commands and arguments in words, and does nothing",
        arguments: [
            ("frobnicate", JSONValue.null, "unknown command 'frobnicate'"),
            ("check", .null, "unknown command 'check'"),
            ("status", .object(["x": .null]), "unknown argument 'x'"),
            ("status", .array([]), "'arguments' is an object"),
            ("accept", .null, "'ids' needs an id"),
            ("accept", .object(["ids": .array([])]), "'ids' needs an id"),
            ("accept", .object(["ids": .array([.integer(17)])]), "'ids' holds texts"),
            ("accept", .object(["ids": .strings(["17@0"])]), "'17@0' is no id of a request"),
            ("accept", .object(["ids": .strings(["-1"])]), "'-1' is no id of a request"),
            ("accept", .object(["ids": .strings(["99999999999999999999"])]), "is no id of a request"),
            ("accept", .object(["ids": .strings(["17", "17@1"])]), "17 stands twice"),
            ("accept", .object(["ids": .strings((1...101).map { String($0) })]), "at most 100 ids"),
            ("accept", .object(["ids": .strings(["17"]), "block": .bool(true)]), "unknown argument 'block'"),
            ("reject", .object(["ids": .strings(["17"]), "block": .string("yes")]), "'block' is true or false"),
            ("history", .object(["limit": .integer(0)]), "'limit' is a number from 1 to 5000"),
            ("history", .object(["limit": .number(1e300)]), "'limit' is a number"),
            ("history", .object(["before": .string("17x")]), "'before' is an id of a history row"),
            ("pending", .object(["account": .string("@")]), "'account' is not an XMPP address"),
            ("pending", .object(["all": .integer(1)]), "'all' is true or false"),
            ("roster", .null, "'account' is the account's address"),
        ]
    )
    func mistakes(command: String, arguments: JSONValue, says: String) async {
        let service = FakeService(requests: [Samples.request()])
        let result = await model(service).perform(command, arguments: arguments, by: admin)
        #expect(result.status == .usage)
        #expect(result.error?.contains(says) ?? false, "\(result.error ?? "")")
        #expect(await service.calls.isEmpty)
    }

    // MARK: Answers

    @Test("accepts with the caller's name, the version seen, and the verdict as its one step")
    func accepts() async {
        let service = FakeService(requests: [Samples.request(17, version: 2), Samples.request(18)])
        let result = await model(service).perform(
            "accept",
            arguments: .object(["ids": .strings(["17@2", "18"])]),
            by: admin
        )
        #expect(result.status == .done)
        #expect(result.error == nil)
        #expect(
            await service.answers == [
                Answer(id: 17, version: 2, decision: .accept(Acceptance()), steps: [.verdict], by: "root", reason: nil),
                Answer(
                    id: 18,
                    version: nil,
                    decision: .accept(Acceptance()),
                    steps: [.verdict],
                    by: "root",
                    reason: nil
                ),
            ]
        )
        #expect(result.data.array?.map { $0["state"] } == [.string("accepted"), .string("accepted")])
        #expect(result.data.array?.map { $0["error"] } == [.null, .null])
    }

    @Test("rejects, and blocks only where that is asked for", arguments: [false, true])
    func rejects(block: Bool) async {
        let service = FakeService(requests: [Samples.request()])
        let arguments = JSONValue.object(["ids": .strings(["17"]), "block": .bool(block)])
        _ = await model(service).perform("reject", arguments: arguments, by: admin)
        let answer = await service.answers.first
        #expect(answer?.decision == .reject(Rejection(block: block)))
        #expect(answer?.steps == (block ? [.verdict, .block] : [.verdict]))
    }

    @Test("says of each request that is refused why, with who was first and when")
    func refusals() async {
        let service = FakeService(requests: [
            Samples.request(1, state: .accepted), Samples.request(2, state: .withdrawn),
            Samples.request(3, state: .answeredElsewhere), Samples.request(4, state: .covered),
            Samples.request(5, version: 3), Samples.request(6, state: .rejected), Samples.request(7, state: .held),
            Samples.request(8),
        ])
        let ids = JSONValue.object(["ids": .strings(["1", "2", "3", "4", "5@1", "6", "7", "8", "9"])])
        let result = await model(service).perform("accept", arguments: ids, by: admin)
        #expect(result.status == .refused)
        #expect(result.error == "8 of 9 were refused")
        let errors = result.data.array?.map { $0["error"]?.string } ?? []
        #expect(
            errors == [
                "1 was already accepted by ana, 4 s ago", "2 was withdrawn by its sender, 4 s ago",
                "3 was answered by another client of support@doorward.test, 4 s ago",
                "4 is decided by a standing answer, 4 s ago",
                "5 changed since you saw it: its message or nickname is another one, it is version 3 now; see 'doorward"
                    + " pending', then answer 5@3",
                "6 was already rejected by the rule 'everyone else', 4 s ago",
                "7 was already answered by an operator, 4 s ago", nil,
                "there is no request 9; 'doorward pending' shows those that wait",
            ]
        )
        #expect(
            result.data.array?.last == .object(["id": .integer(9), "error": .string(errors.last.flatMap { $0 } ?? "")])
        )
    }

    @Test("of a single refusal the error is its own")
    func singleRefusal() async {
        let result = await model(FakeService()).perform(
            "reject",
            arguments: .object(["ids": .strings(["9"])]),
            by: admin
        )
        #expect(result.status == .refused)
        #expect(result.error == "there is no request 9; 'doorward pending' shows those that wait")
    }

    // MARK: The others

    @Test("a roster that is not there is refused with the reason")
    func noRoster() async {
        let service = FakeService()
        let known = await model(service).perform(
            "roster",
            arguments: .object(["account": .string("support@doorward.test")]),
            by: admin
        )
        #expect(known.error?.contains("has no contact list yet: it is online") ?? false)
        let slip = await model(service).perform(
            "roster",
            arguments: .object(["account": .string("suport@doorward.test")]),
            by: admin
        )
        #expect(slip.status == .refused)
        #expect(slip.error == "there is no account suport@doorward.test; did you mean 'support@doorward.test'?")
    }

    @Test("a reload of faulty files is exit 2 with the faults")
    func faultyReload() async {
        let service = FakeService()
        await service.set(outcome: ReloadOutcome(change: nil, faults: [Samples.fault]))
        let result = await model(service).perform("reload", arguments: .null, by: admin)
        #expect(result.status == .usage)
        #expect(result.error == "the files have 1 error, so nothing changed; 'doorward check' shows them")
        #expect(result.data["faults"]?.array?.first?["code"] == .string("DW012"))
        #expect(result.data["started"] == .array([]))
    }

    @Test("what the service throws is a refusal in words")
    func failure() async {
        struct Full: Error, CustomStringConvertible { let description = "the disk is full" }
        struct Failing: ServiceControl {
            func status() async throws -> ServiceStatus { throw Full() }
            func pending(all: Bool, account: BareJID?) async throws -> [RequestRow] { throw Full() }
            func answer(_ answers: [Answer]) async throws -> [AnswerOutcome] { throw Full() }
            func history(limit: Int, before: Int64?, account: BareJID?) async throws -> [HistoryRow] { throw Full() }
            func roster(of account: BareJID) async -> RosterSnapshot? { nil }
            func alerts(all: Bool) async throws -> [AlertRow] { throw Full() }
            func reload() async -> ReloadOutcome { ReloadOutcome(change: nil, faults: []) }
            func operators() async -> [OperatorConfiguration] { [] }
        }
        let result = await CommandModel(service: Failing()) { Samples.now }.perform(
            "status",
            arguments: .null,
            by: admin
        )
        #expect(result == CommandResult(.refused, error: "status failed: the disk is full"))
    }

    @Test("a desk under a flood is given in parts that make the whole")
    func pages() async {
        let text = String(repeating: "\u{1B}", count: 16_384)
        let rows = (1...400).map { Samples.request(Int64($0), message: text) }
        let model = model(FakeService(requests: rows))
        var seen: [Int64] = []
        var parts = 0
        var arguments: JSONValue? = .object(["all": .bool(true)])
        while let asked = arguments {
            let result = await model.perform("pending", arguments: asked, by: admin)
            seen += (result.data.array ?? []).compactMap { $0["id"]?.integer }
            #expect(ControlReply(id: 1, result).line.count < ControlReply.sizeLimit)
            arguments = result.next
            parts += 1
        }
        #expect(seen == rows.map(\.id))
        #expect(parts > 5)
    }

    @Test("a long history is given in parts that make the whole")
    func historyPages() async {
        let service = FakeService()
        var rows = (1...60).reversed().map { Samples.history(Int64($0)) }
        for index in rows.indices { rows[index].reason = String(repeating: "r", count: 100_000) }
        await service.set(history: rows)
        var seen: [String] = []
        var arguments: JSONValue? = .object(["limit": .integer(50)])
        while let asked = arguments {
            let result = await model(service).perform("history", arguments: asked, by: admin)
            seen += (result.data.array ?? []).compactMap { $0["id"]?.string }
            arguments = result.next
        }
        #expect(seen == rows.prefix(50).map { "h\($0.id)" })
    }
}
