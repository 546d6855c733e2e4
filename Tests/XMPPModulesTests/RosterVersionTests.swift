import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// The load of a roster as events, and its versions (RFC 6121 section 2.6).
@Suite struct RosterVersionTests {
    /// What a store would write: items and version, always as one.
    private struct Kept: Sendable, Equatable {
        var items = Roster()
        var version: String?
        var words: [String] = []
        private var loading = Roster()

        init(items: Roster = Roster(), version: String? = nil) {
            (self.items, self.version) = (items, version)
        }

        mutating func apply(_ event: RosterEvent) {
            switch event {
            case .began(let version): words.append("began \(version ?? "-")")
            case .item(let item): loading.set(item)
            case .ended(.whole(let version)):
                (items, self.version, loading) = (loading, version, Roster())
                words.append("whole \(version ?? "-")")
            case .ended(.unchanged(let version)):
                self.version = version
                words.append("unchanged \(version ?? "-")")
            case .ended(.failed(let error)): words.append("failed \(error.code.name)")
            case .changed(.set(let item), let before, let version):
                items.set(item)
                self.version = version
                words.append("set \(before == nil ? "new" : "known") \(version ?? "-")")
            case .changed(.remove(let jid), let before, let version):
                items.remove(jid)
                self.version = version
                words.append("remove \(before == nil ? "unknown" : "known") \(version ?? "-")")
            case .refused(let jid, let error): words.append("refused \(jid) \(error.condition.name)")
            case .left: words.append("left")
            }
        }
    }

    private final class Notes {
        var kept = Kept()
    }

    /// A mirror that has asked with these, told of by `Notes`.
    private func mirror(_ items: Roster, _ version: String?, _ notes: Notes) -> RosterModule {
        RosterModule(account: .bot, cached: items, version: version) { notes.kept.apply($0) }
    }

    private static let cached: Roster = [
        RosterItem(jid: .ally, subscription: .both), RosterItem(jid: .new),
    ]

    private static func versioned() -> ServerBehaviour {
        var behaviour = ServerBehaviour.modern
        behaviour.keepsRosterVersions = true
        behaviour.sasl2 = nil
        return behaviour
    }

    @Test("a load is told from its begin to its end, and a push with the item of before and the version now")
    func events() {
        let notes = Notes()
        let roster = mirror(Roster(), nil, notes)
        roster.loaded(RosterXML.query([RosterXML.item("ally@example.org", "both")], version: "v1"))
        roster.push(RosterXML.item("ally@example.org", "to", name: "Ally"), version: "v2")
        roster.push(RosterXML.item("new@example.net"), version: "v3")
        // A push without a version leaves that which was (B005).
        roster.push(RosterXML.item("new@example.net", "from"))
        roster.push(RosterXML.item("new@example.net", "remove"), version: "v4")
        // A request that was withdrawn ends so on Prosody: nothing was there, and nothing is wrong.
        roster.push(RosterXML.item("ghost@example.net", "remove"), version: "v5")
        #expect(
            notes.kept.words == [
                "whole v1", "set known v2", "set new v3", "set known v3", "remove known v4", "remove unknown v5",
            ])
        #expect(notes.kept.items == roster.items && notes.kept.version == roster.version)
    }

    @Test("a roster without items is empty, whatever was kept, and an answer with nothing in it is not (B005)")
    func emptyOrAbsent() {
        let notes = Notes()
        let roster = mirror(Self.cached, "v7", notes)
        roster.loaded(RosterXML.query([], version: "v9"))
        #expect(roster.items.isEmpty && roster.version == "v9" && notes.kept.words == ["whole v9"])
        // Without a version in the request there is nothing that it could confirm.
        let other = mirror(Self.cached, "v7", notes)
        other.loaded(nil)
        #expect(other.items.isEmpty && other.version == nil && notes.kept.words.last == "whole -")
    }

    @Test("an unknown subscription in a push changes neither item nor version")
    func unknown() {
        let notes = Notes()
        let roster = mirror(Roster(), nil, notes)
        roster.loaded(RosterXML.query([RosterXML.item("ally@example.org", "both")], version: "v1"))
        roster.push(RosterXML.item("ally@example.org", "friend"), version: "v2")
        #expect(roster.items[.ally]?.subscription == .both && roster.version == "v1")
    }

    @Test("what is not kept, since there is too much, leaves no version, so that it comes again")
    func overLimit() {
        let notes = Notes()
        let roster = mirror(Roster(), nil, notes)
        let many = (0...RosterModule.limit).map { RosterXML.item("u\($0)@example.net") }
        roster.loaded(RosterXML.query(many, version: "v1"))
        #expect(roster.items.count == RosterModule.limit && roster.version == nil)
        roster.loaded(RosterXML.query(Array(many.dropLast()), version: "v2"))
        #expect(roster.version == "v2")
        roster.push(many[RosterModule.limit], version: "v3")
        #expect(roster.items.count == RosterModule.limit && roster.version == nil)
    }

    @Test("a version of more than a KiB is none")
    func longVersion() {
        let roster = RosterModule.loaded([])
        roster.push(RosterXML.item("new@example.net"), version: String(repeating: "v", count: 1025))
        #expect(roster.version == nil && roster.items.count == 1)
    }

    // MARK: With a server

    private func run(
        _ behaviour: ServerBehaviour, server: ScriptedServer? = nil, cached: Roster = Roster(), version: String? = nil,
        roster: [ServerRosterItem] = [], _ events: EventRecorder<Kept>
    ) async throws -> LivingModules {
        try await LivingModules(behaviour, server: server, roster: roster) {
            // In the client's isolation, one call after the other.
            nonisolated(unsafe) var kept = Kept(items: cached, version: version)
            return [
                RosterModule(account: .bot, cached: cached, version: version) { event in
                    kept.apply(event)
                    switch event {
                    case .item: break
                    case .began, .ended, .changed, .refused, .left: events.record(kept)
                    }
                }
            ]
        }
    }

    private func asked(_ living: LivingModules) -> [String?] {
        living.sent.compactMap { IQ($0) }.filter { $0.type == .get }.compactMap(\.payload)
            .filter { $0.matches("query", Namespace.roster) }.map { $0[attribute: "ver"] }
    }

    @Test("a server with versions is asked with an empty one first, and later gives only what has changed")
    func versions() async throws {
        let events = EventRecorder<Kept>()
        let items = [ServerRosterItem(.ally, subscription: "both"), ServerRosterItem(.new)]
        let first = try await run(Self.versioned(), roster: items, events)
        let whole = try await events.next { $0.words.last?.hasPrefix("whole") == true }
        #expect(whole.items.count == 2 && whole.version != nil && asked(first) == [""])
        await first.server.push(.ally, to: .bot) { $0.name = "Ally" }
        let kept = try await events.next { $0.words.last?.hasPrefix("set known") == true }
        #expect(kept.version != whole.version)
        try await first.finish(stoppingServer: false)
        // The next session: nothing has changed.
        let second = try await run(
            Self.versioned(), server: first.server, cached: kept.items, version: kept.version, events)
        let same = try await events.next { $0.words.last?.hasPrefix("unchanged") == true }
        #expect(same.items == kept.items && same.version == kept.version && same.items[.ally]?.name == "Ally")
        #expect(asked(second).last == kept.version)
        try await second.finish(stoppingServer: false)
        // And one where it has.
        await second.server.push(.of("late"), to: .bot) { $0.name = "Late" }
        let third = try await run(
            Self.versioned(), server: first.server, cached: same.items, version: same.version, events)
        let changed = try await events.next { $0.words.count == 2 && $0.words.last?.hasPrefix("whole") == true }
        #expect(changed.items.count == 3 && changed.items[.of("late")]?.name == "Late")
        try await third.finish()
    }

    @Test("a server that announces no versions is asked without one, whatever is kept")
    func unannounced() async throws {
        var behaviour = Self.versioned()
        behaviour.keepsRosterVersions = false
        let events = EventRecorder<Kept>()
        let living = try await run(behaviour, cached: Self.cached, version: "7", roster: [], events)
        let ended = try await events.next { $0.words.last?.hasPrefix("whole") == true }
        #expect(ended.items.isEmpty && ended.version == nil && asked(living) == [nil])
        try await living.finish()
    }

    @Test("behind SASL2, where the features are still to come, a version that the server gave is sent")
    func lateFeatures() async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.keepsRosterVersions = true
        let events = EventRecorder<Kept>()
        let first = try await run(behaviour, roster: [ServerRosterItem(.ally)], events)
        let whole = try await events.next { $0.words.last?.hasPrefix("whole") == true }
        #expect(asked(first) == [nil] && whole.version != nil)
        try await first.available()
        let known = await first.client.withModule(RosterModule.self) { $0.isLoaded }
        #expect(known == true)
        try await first.finish(stoppingServer: false)
        let second = try await run(behaviour, server: first.server, cached: whole.items, version: whole.version, events)
        _ = try await events.next { $0.words.last?.hasPrefix("unchanged") == true }
        #expect(asked(second).last == whole.version)
        try await second.finish()
    }

    @Test("an error is never an empty roster: what was kept stays, and it can be asked for again")
    func failed() async throws {
        var behaviour = Self.versioned()
        behaviour.rosterRefusal = .internalServerError
        let events = EventRecorder<Kept>()
        let living = try await run(
            behaviour, cached: Self.cached, version: "7", roster: [ServerRosterItem(.ally)], events)
        let failed = try await events.next { $0.words.last == "failed refused" }
        #expect(failed.items == Self.cached && failed.version == "7")
        #expect(await living.client.withModule(RosterModule.self) { $0.isLoaded } == false)
        await living.server.behave { $0.rosterRefusal = nil }
        await living.client.withModule(RosterModule.self) { $0.reload() }
        let whole = try await events.next { $0.words.last?.hasPrefix("whole") == true }
        #expect(whole.items.count == 1)
        try await living.finish()
    }
}
