import DoorwardConfig
import DoorwardConsole
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@testable import DoorwardConsole

@Suite("The commands about contacts")
struct ContactCommandTests: ContactSuite {
    @Test(
        "a line becomes the arguments of the service: groups in order, addresses without resource",
        arguments: [
            (
                "contact add a@b.test C@d.test/x --group G --name N --group=H --preapprove",
                #"{"account":"a@b.test","contact":"c@d.test","name":"N","groups":["G","H"],"preapprove":true}"#
            ),
            ("contact rename a@b.test c@d.test N", #"{"account":"a@b.test","contact":"c@d.test","name":"N"}"#),
            (
                "contact group a@b.test c@d.test --add G --remove H --remove I",
                #"{"account":"a@b.test","contact":"c@d.test","add":["G"],"remove":["H","I"]}"#
            ),
            ("contact unsubscribe a@b.test c@d.test/x", #"{"account":"a@b.test","contact":"c@d.test"}"#),
            ("contact revoke a@b.test c@d.test", #"{"account":"a@b.test","contact":"c@d.test"}"#),
            ("contact remove a@b.test d.test", #"{"account":"a@b.test","contact":"d.test"}"#),
            ("contact list a@b.test --asked", #"{"account":"a@b.test","asked":true}"#),
            ("roster a@b.test --group G --sort name", #"{"account":"a@b.test","sort":"name","group":"G"}"#),
        ])
    func lines(line: String, expected: String) throws {
        #expect(try arguments(line).oneLine == expected)
    }

    @Test("groups are in one order, however the roster has them")
    func groupOrder() throws {
        let groups = item("a@b.test", groups: ["b", "a", "B", "é"]).json(asOf: nil)["groups"]
        #expect(groups == .strings(["B", "a", "b", "é"]))
        let there = RosterFact(subscription: .both, groups: ["z", "y"])
        let report = ContactReport(
            account: Samples.jid("a@b.test"), contact: Samples.jid("c@d.test"), outcome: .alreadyThere(there),
            state: nil)
        #expect(report.json["groups"] == .strings(["y", "z"]))
    }

    @Test("a group of blanks is none, and an answered contact is not said to be waited for")
    func blankGroup() async throws {
        let given = JSONValue.object([
            "account": .string("support@doorward.test"), "contact": .string("ann@example.test"),
            "groups": .strings([" "]),
        ])
        let result = await model(FakeService()).perform("contact add", arguments: given, by: ana)
        #expect(result.status == .usage)
        #expect(result.error?.contains("a group has a name") == true, "\(result.error ?? "")")
        let done = JSONValue.object([
            "account": .string("a@b.test"), "contact": .string("c@d.test"), "outcome": .string("done"),
            "subscription": .string("to"),
        ])
        let words = ContactRenderer(now: Samples.now, width: 100).added(done)
        #expect(words.count == 1)
    }

    @Test(
        "a line that is not understood says what is missing",
        arguments: [
            ("contact add", "'contact add' needs ACCOUNT"),
            ("contact add a@b.test", "'contact add' needs CONTACT"),
            ("contact rename a@b.test c@d.test", "'contact rename' needs NAME"),
            ("contact rename a@b.test c@d.test New Name", "quote what has blanks in it"),
            ("contact add a@b.test c@d.test --name A --name B", "--name stands twice"),
            ("contact add a@b.test @", "give the contact's address"),
            ("contact group a@b.test c@d.test", "needs --add GROUP or --remove GROUP"),
            ("contact list a@b.test --asked --gone", "contradict each other"),
            ("contact", "'contact' needs one word more"),
            ("roster a@b.test --sort size", "--sort is one of address, name, presence"),
        ])
    func mistakes(line: String, expected: String) throws {
        let error = #expect(throws: UsageError.self) { try arguments(line) }
        let words = error?.message.rendered(colours: false) ?? ""
        #expect(words.contains(expected), "\(words)")
    }

    @Test(
        "what came of it is words, a word for scripts and a status",
        arguments: [
            (ContactOutcome.ownAddress, "own_address", "is the account itself"),
            (.offline, "offline", "nothing was sent"), (.busy, "busy", "try again in a moment"),
            (.notThere, "not_there", "is no contact of"), (.requestWaits(7), "request_waits", "'doorward accept 7'"),
            (.noPreApproval, "no_pre_approval", "without --preapprove"),
            (
                .blocked(JID(Samples.jid("example.test"))), "blocked",
                "'doorward block remove support@doorward.test example.test'"
            ),
            (.refused("x"), "refused", "the server refused it: x"), (.unanswered, "unanswered", "may or may not"),
            (.alreadyThere(RosterFact(subscription: .to)), "already_there", "already: to, the account sees it"),
            (
                .alreadyThere(RosterFact(subscription: .from, asked: true)), "already_there",
                "already: from, and it was asked and has not answered: 'doorward contact list"
            ),
            (.done(.init(item: RosterFact(subscription: .none), bounce: "no host")), "not_delivered", "no host"),
        ])
    func outcomes(outcome: ContactOutcome, code: String, words: String) async throws {
        let service = FakeService()
        await service.set(contactOutcome: outcome)
        let result = await model(service).perform(
            "contact add", arguments: try arguments("contact add support@doorward.test ann@example.test"), by: ana)
        #expect(result.status == .refused)
        #expect(result.error?.contains(words) == true, "\(result.error ?? "")")
        #expect(result.data["outcome"] == .string(code))
        #expect(result.data["error"] == .text(result.error))
    }

    @Test("who was there and is approved ahead is not said to be asked", arguments: [true, false])
    func approved(isUnchanged: Bool) async throws {
        let service = FakeService()
        let item = RosterFact(subscription: .none, asked: true)
        await service.set(contactOutcome: .done(.init(item: item, isUnchanged: isUnchanged, isApproval: true)))
        let line = "contact add support@doorward.test ann@example.test --preapprove"
        let result = await model(service).perform("contact add", arguments: try arguments(line), by: ana)
        #expect(result.status == .done && result.data["outcome"] == .string("approved"))
        let words = ContactRenderer(now: Samples.now, width: 80).added(result.data)
        let text = words.map { $0.rendered(colours: false) }.joined(separator: " ")
        #expect(text.contains(isUnchanged ? "nothing was sent" : "Approved ann@example.test"), "\(text)")
        #expect(!text.contains("Asked") && text.contains("contact remove support@doorward.test ann@example.test"))
    }

    @Test("the lists show who is approved ahead")
    func approvals() {
        var item = RosterSnapshot.Item(
            jid: Samples.jid("ann@example.test"), name: nil, subscription: "none", asked: true, groups: [])
        item.isApproved = true
        let renderer = ContactRenderer(now: Samples.now, width: 120)
        for json in [item.json(asOf: nil), item.evidenceJSON(asOf: nil)] {
            #expect(json["approved"] == .bool(true))
            let list = JSONValue.array([json])
            let lines =
                renderer.roster(list, account: "a@x") + renderer.list(list, account: "a@x", asked: false, gone: false)
            let words = lines.map { $0.rendered(colours: false) }
            #expect(words.count { $0.contains("none, asked, approved") } == 2, "\(words)")
        }
    }

    @Test("who asks is named, and silence is explained")
    func done() async throws {
        let service = FakeService()
        let line = "contact add support@doorward.test ann@example.test --group G"
        let result = await model(service).perform("contact add", arguments: try arguments(line), by: ana)
        #expect(result.status == .done)
        #expect(await service.orders.first?.hasSuffix("ann@example.test support@doorward.test ana") == true)
        let words = ContactRenderer(now: Samples.now, width: 80).added(result.data)
        let text = words.map { $0.rendered(colours: false) }.joined(separator: " ")
        #expect(text.contains("Asked ann@example.test for support@doorward.test"))
        #expect(text.contains("silence may mean that there is nobody"))
        let viewer = await model(service).perform(
            "contact remove", arguments: try arguments("contact remove support@doorward.test ann@example.test"),
            by: Caller(name: "vic", role: .viewer))
        #expect(viewer.status == .refused)
        #expect(await service.orders.count == 1)
    }

    @Test(
        "what cannot be sent is refused before it ends the stream",
        arguments: [
            #"{"account":"support@doorward.test","contact":"a@b.test","name":"a\u0007"}"#,
            #"{"account":"support@doorward.test","contact":"a@b.test","groups":[""]}"#,
            #"{"account":"support@doorward.test","contact":"a@b.test","groups":[7]}"#,
            #"{"account":"support@doorward.test","contact":"a@b.test","message":7}"#,
            #"{"account":"support@doorward.test"}"#,
        ])
    func unsendable(json: String) async throws {
        let service = FakeService()
        let result = await model(service).perform(
            "contact add", arguments: try JSONReader.read(Array(json.utf8)), by: ana)
        #expect(result.status == .usage)
        #expect(await service.orders.isEmpty)
    }

    @Test("the roster of a group without a name is refused, and does not show everybody")
    func namelessGroup() async throws {
        let arguments = try JSONReader.read(Array(#"{"account":"support@doorward.test","group":""}"#.utf8))
        let result = await model(FakeService()).perform("roster", arguments: arguments, by: ana)
        #expect(result.status == .usage)
    }

    @Test("the roster is searched, narrowed and sorted; a long one comes in parts that make the whole")
    func roster() async throws {
        var items = [
            item("bob@x.test", "zed"), item("ann@x.test", "Émile", groups: ["Guests"]),
            item("cid@y.test", groups: ["G"]),
        ]
        items[0].evidence = ContactEvidence(firstKnown: Samples.start, addedBy: .before, lastPresence: Samples.start)
        items[2].isPresent = true
        let roster = RosterSnapshot(account: account, items: items)
        func shown(_ line: String) async throws -> [String] {
            let service = FakeService()
            await service.set(roster: roster)
            let result = await model(service).perform("roster", arguments: try arguments(line), by: ana)
            return (result.data.array ?? []).compactMap {
                $0["jid"]?.string?.split(separator: "@").first.map(String.init)
            }
        }
        #expect(try await shown("roster support@doorward.test --search GUEST") == ["ann"])
        #expect(try await shown("roster support@doorward.test --search y.test") == ["cid"])
        #expect(try await shown("roster support@doorward.test --group G") == ["cid"])
        #expect(try await shown("roster support@doorward.test --sort name") == ["cid", "bob", "ann"])
        #expect(try await shown("roster support@doorward.test --sort presence") == ["cid", "bob", "ann"])
        let service = FakeService()
        let many = (0..<5000).map { item("c\($0)@x.test", String(repeating: "n", count: 100)) }
        await service.set(roster: RosterSnapshot(account: account, items: many))
        var (seen, next): (Int, JSONValue?) = (0, try arguments("roster support@doorward.test"))
        while let asked = next {
            let result = await model(service).perform("roster", arguments: asked, by: ana)
            seen += result.data.array?.count ?? 0
            next = result.next
        }
        #expect(seen == 5000)
    }
}
