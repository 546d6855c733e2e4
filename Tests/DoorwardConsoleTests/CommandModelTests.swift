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
        ("roster", .viewer), ("contact list", .viewer), ("contact add", .operator), ("contact rename", .operator),
        ("contact group", .operator), ("contact remove", .operator), ("contact revoke", .operator),
        ("accept", .operator), ("reject", .operator),
        ("reload", .admin), ("account trust-again", .admin),
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
            case "contact add", "contact rename", "contact remove", "contact revoke":
                .object(["account": .string("support@doorward.test"), "contact": .string("ann@example.test")])
            case "contact group":
                .object([
                    "account": .string("support@doorward.test"), "contact": .string("ann@example.test"),
                    "add": .strings(["G"]),
                ])
            case "roster", "contact list", "account trust-again": .object(["account": .string("support@doorward.test")])
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
            ("history", .object(["limit": .integer(0)]), "'limit' is a number from 1 to 5001"),
            ("history", .object(["limit": .number(1e300)]), "'limit' is a number"),
            ("history", .object(["before": .string("17x")]), "'before' is an id of a history row"),
            ("pending", .object(["account": .string("@")]), "'account' is not an XMPP address"),
            ("pending", .object(["all": .integer(1)]), "'all' is true or false"),
            ("roster", .null, "'account' is the account's address"),
            ("account trust-again", .null, "'account' is the account's address"),
            ("account trust-again", .object(["account": .string("@")]), "'account' is not an XMPP address"),
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
                "1 was already accepted by ana, 4 s ago",
                "2 is no longer on the desk: it was withdrawn, 4 s ago ('doorward history' says why)",
                "3 was answered by another client of support@doorward.test, 4 s ago",
                "4 is decided by a standing answer, 4 s ago",
                "5 changed since you saw it: it is version 3 now, with the message “Hello, it is me” and the nickname"
                    + " “Ann”; see 'doorward pending 5', then answer 5@3",
                "6 was already rejected by the rule 'everyone else', 4 s ago",
                "7 was already answered by an operator, 4 s ago", nil,
                "there is no request 9; 'doorward pending' shows those that wait",
            ]
        )
        #expect(
            result.data.array?.last?.members?.map(\.key) == result.data.array?.first?.members?.map(\.key),
            "a number that no request has gives the same object, with nulls"
        )
        #expect(result.data.array?.last?["contact"] == .null)
        #expect(result.data.array?.last?["error"]?.string == errors.last ?? nil)
    }

    @Test("an answer that the role forbids is data too: an object an id, of the keys of every answer")
    func forbidden() async {
        let service = FakeService(requests: [Samples.request(17)])
        let viewer = Caller(name: "ben", role: .viewer)
        let ids = JSONValue.object(["ids": .strings(["17@1", "18"])])
        for command in ["accept", "reject"] {
            let result = await model(service).perform(command, arguments: ids, by: viewer)
            let answered = await model(service).perform(command, arguments: ids, by: admin)
            #expect(result.status == .refused)
            #expect(result.error?.hasPrefix("'\(command)' needs the role operator; ben has viewer") ?? false)
            #expect(result.data.array?.map { $0["id"]?.integer } == [17, 18])
            #expect(result.data.array?.map { $0["error"]?.string } == [result.error, result.error])
            #expect(result.data.array?.map { $0["contact"] } == [.null, .null])
            #expect(result.data.array?.first?.members?.map(\.key) == answered.data.array?.first?.members?.map(\.key))
        }
        let bad = await model(service).perform("accept", arguments: .null, by: viewer)
        #expect(bad.status == .refused && bad.data.isNull)
        let other = await model(service).perform("reload", arguments: .null, by: viewer)
        #expect(other.status == .refused && other.data.isNull)
    }

    @Test("a version that there is not yet is refused as such")
    func versionToCome() async {
        let service = FakeService(requests: [Samples.request(4)])
        let result = await model(service).perform("accept", arguments: .object(["ids": .strings(["4@2"])]), by: admin)
        #expect(result.error == "4 is at version 1; there is no version 2")
    }

    @Test("a stale answer tells what the request says now, without a text that has no end")
    func longStale() async {
        let long = String(repeating: "x", count: 16_384)
        let service = FakeService(requests: [Samples.request(4, message: long, nickname: nil, version: 2)])
        let result = await model(service).perform("accept", arguments: .object(["ids": .strings(["4@1"])]), by: admin)
        let error = result.error ?? ""
        #expect(error.contains("with the message “xxx") && error.contains("x…” and no nickname;"))
        #expect(error.count < 300)
    }

    @Test("requests are given by their numbers, also those that are gone, with the account's state")
    func byNumber() async {
        let gone = Samples.request(18, contact: "ben@example.test", state: .withdrawn)
        var elsewhere = Samples.request(19)
        elsewhere.account = Samples.jid("old@doorward.test")
        let service = FakeService(requests: [Samples.request(17), gone, elsewhere])
        let arguments = JSONValue.object(["ids": .strings(["17", "18", "19", "20"])])
        let result = await model(service).perform("pending", arguments: arguments, by: admin)
        #expect(result.status == .refused)
        #expect(result.error == "there is no request 20; 'doorward pending' shows those that wait")
        let rows = result.data.array ?? []
        #expect(rows.map { $0["id"]?.integer } == [17, 18, 19, 20])
        #expect(rows.map { $0["account_state"] } == [.string("online"), .string("online"), .null, .null])
        #expect(Set(rows.map { $0.members?.map(\.key).sorted() ?? [] }).count == 1)
    }

    @Test("many long requests by their numbers come in parts that make the whole")
    func byNumberInParts() async {
        let text = String(repeating: "\u{1B}", count: 16_384)
        let service = FakeService(requests: (1...60).map { Samples.request(Int64($0), message: text) })
        var seen: [Int64] = []
        var arguments: JSONValue? = .object(["ids": .strings((1...61).map { String($0) })])
        while let asked = arguments {
            let result = await model(service).perform("pending", arguments: asked, by: admin)
            #expect((result.status == .refused) == (result.next == nil))
            seen += (result.data.array ?? []).compactMap { $0["id"]?.integer }
            arguments = result.next
        }
        #expect(seen == (1...61).map { Int64($0) })
    }

    @Test("status counts what waits for accounts that are not configured any more")
    func notConfigured() async {
        var elsewhere = Samples.request(19)
        elsewhere.account = Samples.jid("old@doorward.test")
        let service = FakeService(requests: [Samples.request(17), elsewhere])
        let result = await model(service).perform("status", arguments: .null, by: admin)
        #expect(
            result.data["not_configured"]?.oneLine == #"[{"jid":"old@doorward.test","pending":1}]"#)
        let words = ServiceRenderer(now: Samples.now, width: 80).status(result.data).map { $0.rendered(colours: false) }
        #expect(
            words.contains(
                "1 request waits of an account that is not configured any more (old@doorward.test): a reload closes it."
            ))
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
        #expect(
            known.error
                == "nothing is known of the contacts of support@doorward.test yet: the list comes with its first login")
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
            func pending(all: Bool, account: BareJID?, after: Int64) async throws -> [RequestRow] { throw Full() }
            func request(id: Int64) async throws -> RequestRow? { throw Full() }
            func waitingCounts() async throws -> [BareJID: Int] { throw Full() }
            func answer(_ answers: [Answer]) async throws -> [AnswerOutcome] { throw Full() }
            func history(limit: Int, before: Int64?, account: BareJID?) async throws -> [HistoryRow] { throw Full() }
            func roster(of account: BareJID) async throws -> RosterSnapshot? { throw Full() }
            func goneContacts(of account: BareJID, limit: Int) async throws -> [GoneContact]? { throw Full() }
            func change(
                _ order: ContactOrder, of contact: BareJID, on account: BareJID, by name: String
            ) async throws -> ContactOutcome { throw Full() }
            func trustAgain(_ account: BareJID, by name: String) async throws -> Bool { throw Full() }
            func alerts(all: Bool) async throws -> [AlertRow] { throw Full() }
            func avatar(
                of: BareJID, account: BareJID, fresh: Bool, asking: AvatarAsking
            ) async throws -> FakeService.Avatar { throw Full() }
            func setAvatar(_: AvatarImage, of: BareJID, by: String) async -> AvatarRefusal? { nil }
            func reload() async -> ReloadOutcome { ReloadOutcome(change: nil, faults: []) }
            func operators() async -> [OperatorConfiguration] { [] }
        }
        let model = CommandModel(service: Failing()) { Samples.now }
        let result = await model.perform("status", arguments: .null, by: admin)
        #expect(result == CommandResult(.refused, error: "status failed: the disk is full"))
    }

    @Test("an account trusts again in the caller's name; one that is not there is refused with a hint")
    func trustAgain() async {
        let service = FakeService()
        let known = JSONValue.object(["account": .string("Support@doorward.test")])
        #expect(
            await model(service).perform("account trust-again", arguments: known, by: admin)
                == CommandResult(data: .null))
        #expect(await service.calls == ["trustAgain support@doorward.test root"])
        let unknown = JSONValue.object(["account": .string("suport@doorward.test")])
        let result = await model(service).perform("account trust-again", arguments: unknown, by: admin)
        #expect(result.status == .refused)
        #expect(result.error?.contains("did you mean 'support@doorward.test'?") == true)
    }
}
