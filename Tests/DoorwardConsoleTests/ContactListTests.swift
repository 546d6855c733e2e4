import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@testable import DoorwardConsole

@Suite("What is said of an account's contacts, and of accounts that are gone")
struct ContactListTests: ContactSuite {
    @Test(
        "a contact that was to be added and is in the list, without an answer to the rest: what is done, and what waits"
    )
    func half() async throws {
        let service = FakeService()
        await service.set(contactOutcome: .unanswered)
        let line = "contact add support@doorward.test ann@example.test --name Ann"
        for (asked, words) in [(false, "ann@example.test is in the contact list"), (true, ", and was asked;")] {
            var ann = item("ann@example.test", "Ann", groups: ["G"])
            (ann.asked, ann.subscription) = (asked, "none")
            await service.set(roster: RosterSnapshot(account: account, items: [ann]))
            let result = await model(service).perform("contact add", arguments: try arguments(line), by: ana)
            #expect(result.status == .refused && result.error?.contains(words) == true, "\(result.error ?? "")")
            #expect(result.error?.contains("done when the account is online again") == true)
            #expect(result.data["asked"] == .bool(asked) && result.data["groups"] == .strings(["G"]))
        }
        await service.set(roster: RosterSnapshot(account: account, items: []))
        let result = await model(service).perform("contact add", arguments: try arguments(line), by: ana)
        #expect(result.error?.contains("may or may not be done") == true && result.data["asked"] == .null)
    }

    @Test("the list shows ages: of asks the longest first, and of those who are gone who removed them")
    func list() async throws {
        var items = [item("new@x.test"), item("old@x.test"), item("both@x.test")]
        for (index, seconds) in [(0, 60), (1, 0)] {
            items[index].asked = true
            items[index].evidence = ContactEvidence(
                firstKnown: Samples.start, addedBy: .contactAdd, addedName: "ana",
                askedAt: Timestamp(milliseconds: Samples.start.milliseconds + Int64(seconds) * 1000))
        }
        let service = FakeService()
        await service.set(roster: RosterSnapshot(account: account, items: items, asOf: Samples.start))
        let gone = GoneContact(
            contact: ContactRow(jid: Samples.jid("gone@x.test"), item: RosterFact(subscription: .both)), evidence: nil,
            at: Samples.start, by: .operator, operator: "ben")
        await service.set(gone: [gone], of: account)
        let renderer = ContactRenderer(now: Samples.now, width: 120)
        func words(_ flags: String) async throws -> String {
            let line = "contact list support@doorward.test" + flags
            let result = await model(service).perform("contact list", arguments: try arguments(line), by: ana)
            let lines = renderer.list(
                result.data, account: "support@doorward.test", asked: flags == " --asked", gone: flags == " --gone")
            return lines.map { $0.rendered(colours: false) }.joined(separator: "\n")
        }
        let asked = try await words(" --asked")
        #expect(asked.contains("support@doorward.test: 2 contacts have not answered, as it was"))
        items[2].evidence = ContactEvidence(
            firstKnown: Samples.start, addedBy: .contactAdd, refusedAt: Samples.start, refusal: "no such server")
        await service.set(roster: RosterSnapshot(account: account, items: items, asOf: nil))
        #expect(
            try await words(" --asked").hasPrefix(
                "support@doorward.test: 2 contacts have not answered, 1 request was refused:"))
        await service.set(roster: RosterSnapshot(account: account, items: [items[2]], asOf: nil))
        #expect(try await words(" --asked").hasPrefix("support@doorward.test: 1 request was refused:"))
        items[2].evidence = nil
        await service.set(roster: RosterSnapshot(account: account, items: items, asOf: Samples.start))
        let order = asked.split(separator: "\n").filter { $0.contains("@x.test") }.map { $0.prefix(3) }
        #expect(order == ["old", "new"])
        #expect(!asked.contains("both@x.test"))
        #expect(try await words("").contains("both@x.test"))
        #expect(try await words(" --gone").contains("ben"))
        let none = renderer.roster(.array([]), account: "a@x.test").map { $0.rendered(colours: false) }
        #expect(none == ["a@x.test has no contacts yet."])
    }

    @Test("the history of an account outlives it, also behind its last page")
    func historyOfRemoved() async throws {
        let service = FakeService()
        var row = Samples.history()
        row.account = Samples.jid("gone@doorward.test")
        await service.set(history: [row])
        let model = CommandModel(service: service) { Samples.now }
        func perform(_ account: String, before: String? = nil) async -> CommandResult {
            await model.perform(
                "history", arguments: .object(["account": .string(account), "before": .text(before)]),
                by: Caller(name: "ben", role: .viewer))
        }
        #expect(await perform("gone@doorward.test").data.array?.count == 1)
        let end = await perform("gone@doorward.test", before: "h1")
        #expect(end.status == .done && end.data == .array([]), "\(end)")
        #expect(await perform("never@doorward.test").error?.contains("there is no account") == true)
    }

    @Test(
        "an end of one direction says what is left of the other, and where there was nothing to end that nothing was sent",
        arguments: [
            (
                "unsubscribe", "from", false,
                "a@x.test does not see b@y.test any more, which stays in the list, and still sees"
            ),
            ("unsubscribe", "none", false, "does not see b@y.test any more, which stays in the list."),
            ("unsubscribe", "none", true, "a@x.test neither sees b@y.test nor asks to, and nothing was sent."),
            (
                "revoke", "to", false,
                "b@y.test does not see a@x.test any more, stays in the list, and is still seen by it, and"
            ),
            ("revoke", "none", false, "b@y.test does not see a@x.test any more, stays in the list, and may ask again."),
            ("revoke", "to", true, "b@y.test does not see a@x.test, and nothing was sent."),
        ])
    func ends(verb: String, left: String, unchanged: Bool, says: String) {
        let data = JSONValue.object([
            "account": .string("a@x.test"), "contact": .string("b@y.test"), "subscription": .string(left),
            "unchanged": .bool(unchanged),
        ])
        let renderer = ContactRenderer(now: Samples.now, width: 120)
        let lines = verb == "revoke" ? renderer.revoked(data) : renderer.unsubscribed(data)
        #expect(lines.map { $0.rendered(colours: false) }.joined().contains(says))
    }
}
