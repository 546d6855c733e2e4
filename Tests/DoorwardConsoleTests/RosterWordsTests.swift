import DoorwardConsole
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

/// What `roster` says of who is there.
@Suite("The words of roster") struct RosterWordsTests {
    private let account = Samples.jid("support@doorward.test")

    private func item(_ jid: String, _ name: String) -> RosterSnapshot.Item {
        RosterSnapshot.Item(jid: Samples.jid(jid), name: name, subscription: "both", asked: false, groups: [])
    }

    @Test("the roster says who is away or busy, and since when nobody has touched whoever is there (XEP-0319)")
    func idle() throws {
        var items = [item("bob@x.test", "Bob"), item("ann@x.test", "Ann")]
        for index in items.indices { items[index].isPresent = true }
        items[1].idleSince = Timestamp(milliseconds: Samples.now.milliseconds - 1_200_000)
        (items[0].show, items[1].show) = ("online", "dnd")
        let json = RosterSnapshot(account: account, items: items).json
        #expect(json.array?.map { $0["idle_since"]?.string == nil } == [true, false])
        let lines = ContactRenderer(now: Samples.now, width: 120).roster(json, account: "\(account)")
            .map { $0.rendered(colours: false) }
        #expect(lines.count { $0.contains("now, dnd, idle for 20 min") } == 1)
        #expect(lines.count { $0.contains("now, ") } == 1)
    }

    @Test("the roster shows a status where somebody has one, and with --resources each resource on a row of its own")
    func resources() throws {
        var items = [item("ann@x.test", "Ann"), item("bob@x.test", "Bob")]
        let renderer = ContactRenderer(now: Samples.now, width: 120)
        func lines(isOnline: Bool = true, _ words: (JSONValue) -> [TerminalText]) -> [String] {
            words(RosterSnapshot(account: account, items: items, asOf: isOnline ? nil : Samples.start).json)
                .map { $0.rendered(colours: false) }
        }
        let roster = { (json: JSONValue) in renderer.roster(json, account: "a@x.test") }
        let resources = { (json: JSONValue) in renderer.resources(json, account: "a@x.test") }
        #expect(!lines(roster).contains { $0.contains("STATUS") })
        #expect(lines(resources) == ["Nobody of them is there."])
        #expect(
            lines(isOnline: false, resources) == ["a@x.test is not online, so nobody is known to be there."])
        items[0].status = "at lunch\u{202E}"
        items[0].resources = [
            ResourceRow(
                try JID("ann@x.test/desk"), priority: 5, show: .away, status: "at lunch\u{202E}",
                idleSince: Samples.start,
                at: Samples.start),
            ResourceRow(JID(items[0].jid), priority: -1, at: Samples.start),
        ]
        #expect(lines(roster).count { $0.contains("at lunch") && !$0.contains("\u{202E}") } == 1)
        let rows = lines(resources)
        #expect(rows.first == "1 contact is there of a@x.test:")
        let cells = rows.suffix(2).map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(cells[0].hasPrefix("ann@x.test desk 5 away 4 s ago 4 s at lunch"))
        #expect(cells[1] == "ann@x.test - -1 online 4 s ago -")
    }
}
