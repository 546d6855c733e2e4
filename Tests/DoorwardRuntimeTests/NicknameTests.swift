import DoorwardConfig
import DoorwardPolicy
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// The nickname of an account (XEP-0172): whom it asks is told it, and nobody else.
@Suite struct NicknameTests {
    private func account(_ nickname: String?) -> AccountConfiguration {
        var account = AccountConfiguration.of("bot@example.org")
        account.profile = ProfileConfiguration(nickname: nickname)
        return account
    }

    private func nickname(_ world: World, to contact: String) -> String? {
        world.server.received.all.last { $0.isPresence("subscribe", to: contact) }
            .flatMap { Presence($0.element)?.nickname }
    }

    @Test("whoever is asked, by a command or in return, is told the nickname of the moment; no other presence has it")
    func told() async throws {
        let policy = Policy.of([Rule("all", .accept(Acceptance(subscribeBack: true)))])
        try await inWorld([account("Support")], policy: policy) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(nickname(world, to: "new@example.net") == "Support")
            world.write([account("Help")], [policy])
            _ = await world.service.reload()
            let ann = try await world.service.change(.add(.init()), of: .of("ann"), on: .bot, by: "ana")
            guard case .done = ann else { throw World.Missing() }
            #expect(nickname(world, to: BareJID.of("ann").description) == "Help")
            world.write([account(nil)], [policy])
            _ = await world.service.reload()
            let carl = try await world.service.change(.add(.init()), of: .of("carl"), on: .bot, by: "ana")
            guard case .done = carl else { throw World.Missing() }
            #expect(world.sent("subscribe", to: BareJID.of("carl").description) == 1)
            #expect(nickname(world, to: BareJID.of("carl").description) == nil)
            let others = world.server.received.all.map(\.element).filter {
                $0.name == "presence" && $0[attribute: "type"] != "subscribe"
            }
            #expect(others.count >= 2 && others.allSatisfy { $0.first("nick", Namespace.nick) == nil })
        }
    }
}
