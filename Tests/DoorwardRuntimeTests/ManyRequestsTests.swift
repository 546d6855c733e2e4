import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// Requests again and again, and from everybody who can ask.
@Suite struct ManyRequestsTests {
    private static let reconnects = 200

    @Test("however often the account comes back, five hundred pending requests are five hundred rows without an answer")
    func reconnects() async throws {
        let setup = { (server: ScriptedServer) in
            await server.behave { $0.deliversAtOnce = true }
            for number in 0..<500 { await server.ask(.bot, from: JID(BareJID.of("u\(number)"))) }
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            _ = try await world.events.next { $0.isDecided(.of("u499")) }
            for _ in 0..<Self.reconnects {
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
                try await world.until("the rest is scheduled") { world.loop.timerCount > 0 }
                await world.pass(.seconds(601))
                try await world.online()
                try await world.quiet()
            }
            let rows = try await world.pending()
            #expect(rows.count == 500)
            #expect(Set(rows.map(\.id)) == Set(1...500))
            #expect(rows.allSatisfy { $0.seenCount == Self.reconnects + 1 && $0.state == .open })
            #expect(world.presences == [])
            #expect(try await world.history().count == 500)
        }
    }

    /// The states of RFC 6121 appendix A in which a request can come, by what the roster shows of them.
    enum State: CaseIterable {
        case stranger, none, noneAsked, to, from, fromAsked, both

        var item: ServerRosterItem? {
            switch self {
            case .stranger: nil
            case .none: ServerRosterItem(.new)
            case .noneAsked: ServerRosterItem(.new, asked: true)
            case .to: ServerRosterItem(.new, subscription: "to")
            case .from: ServerRosterItem(.new, subscription: "from")
            case .fromAsked: ServerRosterItem(.new, subscription: "from", asked: true)
            case .both: ServerRosterItem(.new, subscription: "both")
            }
        }

        /// Whether the account wants to see the contact anyway, whether it sees the account already, or neither.
        var isOurs: Bool { self == .noneAsked || self == .to }
        var isIn: Bool { self == .from || self == .fromAsked || self == .both }
    }

    @Test(
        "a request is asked about, accepted since we asked, or only confirmed, by what the roster says of the contact",
        arguments: State.allCases)
    func states(state: State) async throws {
        let setup = { (server: ScriptedServer) in
            await server.add(.bot, password: "secret", roster: [state.item].compactMap(\.self))
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            await world.server.ask(.bot, from: .new)
            try await world.quiet()
            let subscribed = world.sent("subscribed", to: "new@example.net")
            if state.isIn {
                #expect(try await world.history().isEmpty)
                #expect(subscribed <= 1)
            } else if state.isOurs {
                let decided = try await world.history().first { $0.event == .decided }
                #expect(decided?.by == "own_request")
                #expect(subscribed >= 1)
            } else {
                #expect(try await world.pending().map(\.contact) == [.new])
                #expect(world.presences == [])
            }
            #expect(world.sent("unsubscribed", to: "new@example.net") == 0)
        }
    }

    @Test("a gateway asks as a bare domain, a client with its resource: each is answered at its bare address")
    func gateways() async throws {
        try await inWorld { world in
            try await world.online()
            for sender in ["irc.example.net", "irc.example.net/x", "ann@irc.example.net/y"] {
                await world.server.ask(.bot, from: try JID(sender))
            }
            try await world.quiet()
            let rows = try await world.pending()
            #expect(rows.map(\.contact.description) == ["irc.example.net", "ann@irc.example.net"])
            _ = try await world.service.answer(rows.map { .accept($0) })
            for row in rows { _ = try await world.events.next { $0.isConfirmed(row.contact) } }
            #expect(world.presences == ["subscribed irc.example.net", "subscribed ann@irc.example.net"])
        }
    }
}
