import DoorwardConfig
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// A session ends, and what the account does then.
@Suite struct ReconnectTests {
    enum Ending: CaseIterable {
        case closedInOrder, endOfTCP, brokenLink, shutdown, malformed
    }

    @Test("however the server leaves, the state says so, and the account comes back (B045)", arguments: Ending.allCases)
    func endings(_ ending: Ending) async throws {
        try await inWorld { world in
            try await world.online()
            switch ending {
            case .closedInOrder: await world.server.closeStream(of: .bot)
            case .endOfTCP: await world.server.endConnection(of: .bot)
            case .brokenLink: await world.server.dropLink(of: .bot)
            case .shutdown: await world.server.sendStreamError("system-shutdown", to: .bot)
            case .malformed: await world.server.send("<a></b>", to: .bot)
            }
            let status = try await world.state(.waiting)
            #expect(status.lastError?.isEmpty == false)
            // What is kept is shown, with its age.
            #expect(try await world.service.roster(of: .bot)?.asOf != nil)
            let connects = world.connects
            try await world.until("the rest is scheduled") { world.loop.timerCount > 0 }
            #expect(world.connects == connects)
            await world.pass(.seconds(3))
            try await world.online()
            let now = try await world.service.status().accounts.first
            #expect(now?.state == .online)
            #expect(now?.lastError == nil)
        }
    }

    @Test(
        "fifty accounts whose server stops or breaks come back spread over a minute (B063)",
        arguments: [
            "system-shutdown", "reset", "resource-constraint", "internal-server-error", "connection-timeout",
            "remote-connection-failed",
        ])
    func outage(condition: String) async throws {
        let accounts = (1...50).map { AccountConfiguration.of("bot\($0)@example.org") }
        try await inWorld(accounts) { world in
            for account in accounts { try await world.online(account.jid) }
            for account in accounts { await world.server.sendStreamError(condition, to: account.jid) }
            for account in accounts { _ = try await world.state(.waiting, of: account.jid) }
            try await world.until("all rest") { world.loop.timerCount >= 50 }
            // Of those that draw up to 60 s each, some ten have come by now; all fifty, were they told apart from a lost link.
            await world.pass(.seconds(3))
            #expect(world.connects < 50 + 30)
            for _ in 0..<60 { await world.pass(.seconds(1)) }
            for account in accounts { try await world.online(account.jid) }
            #expect(world.connects == 100)
        }
    }

    @Test("where the server sends the session on, the next connection is there, and the one behind it where it was")
    func sentOn() async throws {
        let addresses = EventRecorder<ServerAddress>()
        try await inWorld(connector: { Noting(addresses: addresses, inner: $0) }) { world in
            try await world.online()
            await world.server.send(
                "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>x.example.net:9222"
                    + "</see-other-host></stream:error>", to: .bot)
            for again in 1...2 {
                _ = try await world.state(.waiting)
                try await world.until("the rest is scheduled") { world.loop.timerCount > 0 }
                await world.pass(.seconds(3) * again)
                try await world.online()
                if again == 1 { await world.server.dropLink(of: .bot) }
            }
            let usual = ServerAddress.domain("example.org")
            #expect(addresses.all == [usual, .host("x.example.net", port: 9222), usual])
        }
    }

    /// Notes whereto connections go.
    private struct Noting: Connector {
        let addresses: EventRecorder<ServerAddress>
        let inner: any Connector

        func connect(
            to address: ServerAddress, security: TLSSettings?, on loop: EventLoop,
            handler: @escaping @Sendable (ChannelEvent) -> Void
        ) -> any Channel {
            addresses.record(address)
            return inner.connect(to: address, security: security, on: loop, handler: handler)
        }
    }

    @Test("another client that takes the resource gets it; who goes on doing so parks the account (B056)")
    func conflict() async throws {
        try await inWorld { world in
            try await world.online()
            for round in 1..<RestartPolicy.conflictLimit {
                await world.server.sendStreamError("conflict", to: .bot)
                _ = try await world.state(.waiting)
                try await world.until("the rest is scheduled") { world.loop.timerCount > 0 }
                let connects = world.connects
                await world.pass(.seconds(29))
                #expect(world.connects == connects)
                await world.pass(.seconds(60) * round)
                try await world.online()
            }
            let resources = world.server.received.all.compactMap {
                $0.element.first("bind", Namespace.bind)?.first("resource", Namespace.bind)?.text
            }
            #expect(Set(resources).count == RestartPolicy.conflictLimit)
            #expect(resources.first == "doorward")
            #expect(resources.dropFirst().allSatisfy { $0.hasPrefix("doorward-") })
            await world.server.sendStreamError("conflict", to: .bot)
            _ = try await world.state(.parked)
            _ = try await world.events.next { $0.isAlert(AlertCode.accountParked) }
            let connects = world.connects
            for _ in 0..<10 { await world.pass(.seconds(600)) }
            #expect(world.connects == connects)
        }
    }

    @Test("a server that falls silent is pinged, given up, and tried again")
    func silence() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.react { _ in .nothing }
            await world.pass(.seconds(301))
            _ = try await world.server.received.next { $0.isIQ("get", "ping", Namespace.ping) }
            await world.pass(.seconds(26))
            let status = try await world.state(.waiting)
            #expect(status.lastError?.contains("no sign of life") == true)
            await world.server.react(nil)
            await world.pass(.seconds(3))
            try await world.online()
        }
    }

    @Test(
        "a server that says nothing at some stage of the login is given up, and tried again",
        arguments: ServerBehaviour.Stage.allCases)
    func silentLogin(stage: ServerBehaviour.Stage) async throws {
        try await inWorld(before: { await $0.behave { $0.silentFrom = stage } }) { world in
            _ = try await world.server.events.next { if case .connected = $0 { true } else { false } }
            try await world.until("given up") {
                await world.pass(.seconds(10))
                return try await world.service.status().accounts.first?.state == .waiting
            }
            await world.server.behave { $0.silentFrom = nil }
            // The next try may have begun, and be in that silence too.
            try await world.until("it is online") {
                await world.pass(.seconds(10))
                return try await world.service.status().accounts.first?.state == .online
            }
        }
    }

    @Test("the wait grows while a host cannot be reached, and is bounded")
    func backoff() async throws {
        try await inWorld(before: { await $0.behave { $0.isReachable = false } }) { world in
            for _ in 0..<360 {
                try await world.until("it rests") {
                    try await world.service.status().accounts.first?.state == .waiting
                }
                await world.pass(.seconds(10))
            }
            // An hour: some eight quick tries, then one in two and a half minutes on average.
            #expect((8...80).contains(world.connects))
            await world.server.behave { $0.isReachable = true }
            try await world.until("online") {
                await world.pass(.seconds(10))
                return try await world.service.status().accounts.first?.state == .online
            }
        }
    }

    @Test(
        "stopping ends an account in any state",
        arguments: [AccountStatus.State.online, .waiting, .parked, .connecting])
    func stop(state: AccountStatus.State) async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            switch state {
            case .waiting: await server.behave { $0.isReachable = false }
            case .parked: await server.refuseLogins(of: .bot, with: "account-disabled")
            case .connecting: await server.behave { $0.silentFrom = .challenge }
            case .online, .stopped: break
            }
        }
        try await inWorld(before: setup) { world in
            _ = try await world.state(state)
            if state == .connecting { _ = try await world.server.received.next { $0.element.name == "auth" } }
            await world.service.stop()
            _ = try await world.state(.stopped)
        }
    }
}
