import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Asking for contacts' pictures by hand, more of them than are asked at a time.
@Suite struct AvatarAskingTests {
    @Test("a contact over those that are asked at a time is refused as busy, and each of the others gets its answer")
    func bounded() async throws {
        let world = try await AvatarWorld()
        // None of them is heard from.
        await world.server.react { received in
            received.isIQ("get", "pubsub", Namespace.pubSub) ? .nothing : world.content.reaction(received)
        }
        let answers = EventRecorder<(contact: BareJID, answer: Result<ContactAvatar, ClientError>)>()
        let limit = AvatarModule.askingLimit
        func ask(_ contact: BareJID) async {
            _ = await world.client.withModule(AvatarModule.self) { module in
                module.ask(contact) { answers.record((contact, $0)) }
            }
        }
        for number in 0...limit { await ask(.of("c\(number)")) }
        #expect(answers.all.map(\.contact) == [.of("c\(limit)")])
        #expect(throws: ClientError.busy) { try answers.all.first?.answer.get() }
        // Who is asked already takes no place of its own.
        await ask(.of("c0"))
        #expect(answers.all.count == 1)
        // The servers' silence ends; the vCards, which nobody has, are asked for behind it.
        try await world.server.barrier(.bot)
        #expect(world.items == limit)
        world.time.advance(by: AvatarModule.askingTimeout)
        for _ in 0..<limit + 2 { _ = try await answers.next { _ in true } }
        let told = answers.all.dropFirst()
        #expect(told.count == limit + 1 && Set(told.map(\.contact)) == Set((0..<limit).map { .of("c\($0)") }))
        #expect(told.allSatisfy { (try? $0.answer.get()) == ContactAvatar(nil, from: .vCard) })
        // And there is room again.
        await world.server.react(world.content.reaction)
        #expect(try await world.ask(.of("c\(limit)")).get() == ContactAvatar(nil, from: .vCard))
        try await world.finish()
    }
}
