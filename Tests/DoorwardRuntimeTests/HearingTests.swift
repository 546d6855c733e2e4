import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Servers that are not there, and say so at once, after a while, or much later.
@Suite struct HearingTests {
    private static let far = BareJID.of("gone", "nowhere.example")

    private func heard(
        _ body: (World, Task<ContactOutcome, any Error>) async throws -> Void
    ) async throws {
        let world = try await World(refusalWait: .seconds(3))
        try await world.online()
        let answer = Task { try await world.service.change(.add(.init()), of: Self.far, on: .bot, by: "ana") }
        try await waits(world)
        #expect(try await world.history().first?.state == .confirmed)
        try await body(world, answer)
        await world.stop()
    }

    /// The command has its end, and waits for what there is to hear.
    private func waits(_ world: World) async throws {
        let account = try #require(await world.service.supervisor.account(.bot))
        try await world.until("it waits") { await account.waits(for: Self.far) }
    }

    private func refuse(_ world: World, _ condition: String = "remote-server-not-found", kind: String = "cancel") async
    {
        let id = world.server.received.all.last { $0.isPresence("subscribe", to: "\(Self.far)") }?.element[
            attribute: "id"]
        await world.server.send(
            "<presence type='error' from='\(Self.far)' id='\(id ?? "")'><error type='\(kind)'>"
                + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>", to: .bot)
    }

    private func row(_ world: World) async throws -> RosterSnapshot.Item {
        try #require(try await world.service.roster(of: .bot)?.items.first)
    }

    @Test("a refusal that comes within the wait is the outcome; it is in the list and the history by then")
    func soon() async throws {
        try await heard { world, answer in
            await world.pass(.seconds(2))
            #expect(try await row(world).asked)
            await refuse(world)
            guard case .done(let report) = try await answer.value else { throw World.Missing() }
            #expect(report.bounce?.contains("remote-server-not-found") == true && report.item?.asked == false)
            let history = try #require(try await world.history().first)
            #expect(history.state == .refused && history.sentAt == history.at)
            #expect(history.reason?.contains("remote-server-not-found") == true)
            let item = try await row(world)
            #expect(!item.asked && item.evidence?.refusal != nil && item.evidence?.addedBy == .contactAdd)
        }
    }

    @Test("one that comes later puts list, log and history right; until then the contact was asked")
    func later() async throws {
        try await heard { world, answer in
            await world.pass(.seconds(3))
            guard case .done(let report) = try await answer.value else { throw World.Missing() }
            #expect(report.bounce == nil && report.item?.asked == true)
            #expect(try await row(world).asked)
            await refuse(world)
            try await world.until("the history says so") { try await world.history().first?.state == .refused }
            #expect(try await row(world).evidence?.refusal != nil)
            let history = try await world.history()
            #expect(history.count == 1 && history.first?.sentAt != nil)
            // Said twice it is written once.
            await refuse(world)
            try await world.quiet()
            #expect(try await world.history() == history)
            // Asked again, it is another row, and that before stays what it was.
            let again = Task { try await world.service.change(.add(.init()), of: Self.far, on: .bot, by: "ana") }
            try await waits(world)
            await world.pass(.seconds(3))
            _ = try await again.value
            #expect(try await world.history().map(\.state) == [.confirmed, .refused])
        }
    }

    @Test("an answer, a server that cannot be reached yet and the end of the link end the wait too")
    func otherEnds() async throws {
        try await heard { world, answer in
            await world.server.push(Self.far, to: .bot) {
                $0.subscription = "to"
                $0.asked = false
            }
            guard case .done = try await answer.value else { throw World.Missing() }
        }
        try await heard { world, answer in
            await refuse(world, "remote-server-timeout", kind: "wait")
            guard case .done(let report) = try await answer.value else { throw World.Missing() }
            #expect(report.bounce == nil && report.delay?.contains("remote-server-timeout") == true)
            #expect(report.item?.asked == true)
        }
        try await heard { world, answer in
            await world.server.dropLink(of: .bot)
            guard case .done(let report) = try await answer.value else { throw World.Missing() }
            #expect(report.bounce == nil)
        }
        try await heard { world, answer in
            // It says no.
            await world.server.send("<presence type='unsubscribed' from='\(Self.far)'/>", to: .bot)
            guard case .done = try await answer.value else { throw World.Missing() }
        }
    }

    @Test("other commands do not wait with it, and nobody waits for a server that is one's own")
    func others() async throws {
        try await heard { world, answer in
            let near = BareJID.of("near", "example.org")
            guard case .done = try await world.service.change(.add(.init()), of: near, on: .bot, by: "ben") else {
                throw World.Missing()
            }
            guard case .done = try await world.service.change(.rename("x"), of: Self.far, on: .bot, by: "ben") else {
                throw World.Missing()
            }
            await refuse(world)
            guard case .done(let report) = try await answer.value else { throw World.Missing() }
            #expect(report.bounce != nil)
            #expect(try await world.history().map(\.state) == [.confirmed, .confirmed, .refused])
        }
    }
}

extension Account {
    fileprivate func waits(for contact: BareJID) -> Bool { session?.askWaiters[contact] != nil }
}
