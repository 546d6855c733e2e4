import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// Blocks, and the requests that they decide (B020).
@Suite struct BlockingTests {
    private static let bad = BareJID(preparedLocal: nil, preparedDomain: "bad.example")

    private func items(_ texts: String...) throws -> [JID] { try texts.map { try JID($0) } }

    /// What the account said about these things, in order.
    private func said(_ world: World) -> [String] {
        world.server.received.all.compactMap { received in
            if received.isIQ("set", "block", Namespace.blocking) { return "block" }
            if received.isIQ("set", "unblock", Namespace.blocking) { return "unblock" }
            guard received.element.name == "presence", let to = received.element[attribute: "to"] else { return nil }
            return "\(received.element[attribute: "type"] ?? "available") \(to)"
        }
    }

    @Test("a blocked domain's requests are told no before the block, and leave the desk as covered")
    func domain() async throws {
        try await inWorld { world in
            try await world.online()
            for asking in ["spam1@bad.example", "bad.example", "ok@notbad.example"] {
                await world.server.ask(.bot, from: try JID(asking))
            }
            try await world.until("three on the desk") { try await world.pending().count == 3 }
            let report = try await world.service.block(.bot, items("bad.example"), report: nil, by: "ana")
            #expect(report?.outcome == .done)
            #expect(report?.covered.map(\.contact) == [.of("spam1", "bad.example"), Self.bad])
            try await world.quiet()
            #expect(said(world) == ["unsubscribed spam1@bad.example", "unsubscribed bad.example", "block"])
            #expect(await world.server.blocked(by: .bot) == [Self.bad])
            #expect(await world.service.blockList(of: .bot)?.items == Set(try items("bad.example")))
            #expect(try await world.pending().map(\.contact) == [.of("ok", "notbad.example")])
            #expect(try await world.pending(all: true).map(\.state) == [.covered, .covered, .open])
            let closed = try await world.history().filter { $0.event == .closed }
            #expect(closed.map(\.state) == [.covered, .covered])
            #expect(
                closed.allSatisfy { $0.by == "operator" && $0.operator == "ana" && $0.reason == "blocked: bad.example" }
            )
            // Nothing of it is left to be sent, and the server has the answers.
            try await world.until("all confirmed") { try await world.store.liveRequests(of: .bot).count == 1 }
            #expect(await world.server.requests(of: .bot) == [.of("ok", "notbad.example")])
        }
    }

    @Test("who asks from a blocked domain gets no prompt; a look-alike does")
    func later() async throws {
        try await inWorld { world in
            try await world.online()
            _ = try await world.service.block(.bot, items("bad.example"), report: nil, by: "ana")
            for asking in ["spam2@bad.example", "bad.example", "ok@notbad.example"] {
                await world.server.ask(.bot, from: try JID(asking))
            }
            try await world.quiet()
            #expect(try await world.pending().map(\.contact) == [.of("ok", "notbad.example")])
            let history = try await world.history().filter { $0.contact.domain == "bad.example" }
            #expect(history.filter { $0.event == .contact }.map(\.action) == ["block"])
            let others = history.filter { $0.event != .contact }
            #expect(others.map(\.decision) == ["ignore", "ignore"])
            #expect(others.allSatisfy { $0.by == "server" && $0.state == .notSent })
            #expect(said(world) == ["block"])
        }
    }

    @Test("a block by another client of the account takes the request off the desk, and nothing is sent")
    func pushed() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            try await world.until("one on the desk") { try await world.pending().count == 1 }
            await world.server.send(
                "<iq type='set' id='p1'><block xmlns='urn:xmpp:blocking'><item jid='example.net'/></block></iq>",
                to: .bot)
            try await world.quiet()
            #expect(try await world.pending().isEmpty)
            #expect(try await world.history().first?.state == .covered)
            #expect(try await world.history().first?.by == "server")
            #expect(said(world).isEmpty)
        }
    }

    @Test("a request of somebody blocked that is delivered at the login never reaches the desk")
    func atLogin() async throws {
        let setup = { (server: ScriptedServer) in
            await server.block(.bot, [JID(.new)])
            await server.ask(.bot, from: .new)
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            try await world.quiet()
            #expect(try await world.pending().isEmpty)
            #expect(try await world.history().map(\.decision) == ["ignore"])
        }
    }

    @Test("a block that the store has and the server had no answer for is sent on after a crash")
    func covered() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            try await world.until("one on the desk") { try await world.pending().count == 1 }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            let now = Timestamp(milliseconds: 0)
            let rows = try await world.store.cover(.bot, by: "ana", reason: "blocked", at: now) { $0 == .new }.rows
            #expect(rows.map(\.isLive) == [true])
            await world.pass(.seconds(60))
            try await world.online()
            try await world.quiet()
            #expect(world.presences == ["unsubscribed new@example.net"])
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
            #expect(try await world.history().first?.state == .covered)
        }
    }

    @Test("reject with a report blocks too, and the block carries it", arguments: [true, false])
    func reported(byOperator: Bool) async throws {
        let policy: Policy = byOperator ? .of([]) : .of([Rule("spam", .reject(Rejection(report: .spam)))])
        try await inWorld(policy: policy) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            if byOperator {
                try await world.until("one on the desk") { try await world.pending().count == 1 }
                let row = try #require(try await world.pending().first)
                let reject = Answer(
                    id: row.id, version: row.version, decision: .reject(Rejection(report: .spam)),
                    steps: [.verdict, .block], by: "ana", reason: nil)
                _ = try await world.service.answer([reject])
            }
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(said(world) == ["unsubscribed new@example.net", "block"])
            let block = world.server.received.all.last { $0.isIQ("set", "block", Namespace.blocking) }
            let item = block?.element.elements.first?.elements.first
            #expect(item?.first("report", Namespace.reporting)?[attribute: "reason"] == "urn:xmpp:reporting:spam")
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test("what cannot be done is said: no session, no blocking, refused; and then nothing is covered")
    func refused() async throws {
        let setup = { (server: ScriptedServer) in await server.behave { $0.announcesBlocking = false } }
        try await inWorld(before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            try await world.until("one on the desk") { try await world.pending().count == 1 }
            let answer = try await world.service.block(.bot, items("example.net"), report: nil, by: "ana")
            #expect(answer?.outcome == .notOffered)
            #expect(try await world.pending().count == 1)
            #expect(await world.service.blockList(of: .bot) == nil)
            #expect(try await world.service.unblock(.bot, try items("example.net"), by: "ana") == .notOffered)
            #expect(try await world.service.block(.of("x"), items("example.net"), report: nil, by: "ana") == nil)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            #expect(try await world.service.unblock(.bot, try items("example.net"), by: "ana") == .offline)
        }
    }

    @Test("a block whose answer never comes is told so when the link ends")
    func noReply() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.react { $0.isIQ("set", "block", Namespace.blocking) ? .nothing : .usual }
            async let report = world.service.block(.bot, [JID(.new)], report: nil, by: "ana")
            _ = try await world.server.received.next { $0.isIQ("set", "block", Namespace.blocking) }
            await world.server.dropLink(of: .bot)
            #expect(try await report?.outcome == .noReply)
        }
    }

    @Test("an entry is lifted, and others stay")
    func unblocked() async throws {
        try await inWorld { world in
            try await world.online()
            _ = try await world.service.block(
                .bot, items("bad.example", "eve@example.net/x", "adam@example.net"), report: nil, by: "ana")
            #expect(try await world.service.unblock(.bot, try items("bad.example"), by: "ana") == .done)
            #expect(
                await world.service.blockList(of: .bot)?.items
                    == Set(try items("eve@example.net/x", "adam@example.net")))
            #expect(await world.server.blockList(of: .bot) == (try items("eve@example.net/x", "adam@example.net")))
        }
    }
}
