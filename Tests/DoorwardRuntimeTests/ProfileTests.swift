import DoorwardConfig
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// What accounts of the service say of themselves, and see of their contacts.
@Suite struct ProfileTests {
    private let image: AvatarImage
    private let other: AvatarImage
    private let content = ServerContent()

    init() throws {
        image = try AvatarImage(Array("GIF89a\u{1}\0\u{1}\0\0\0\0 one".utf8))
        other = try AvatarImage(Array("GIF89a\u{1}\0\u{1}\0\0\0\0 two".utf8))
        content.announce([Namespace.pubSub + "#publish"], hasNodes: true)
    }

    private func account(
        _ jid: String = "bot@example.org", name: String? = "Support", avatar: AvatarImage? = nil,
        mode: AccountConfiguration.Mode = .enforce
    ) -> AccountConfiguration {
        var account = AccountConfiguration.of(jid, mode: mode)
        account.profile = ProfileConfiguration(name: name, avatar: avatar ?? image)
        return account
    }

    private func published(_ part: String, _ event: RuntimeEvent) -> Bool {
        if case .profilePublished(.bot, part, nil) = event { true } else { false }
    }

    @Test("a profile is published after the login, and what differs after a reload, in the same session")
    func publishing() async throws {
        try await inWorld([account()], before: { await $0.react(content.reaction) }) { world in
            try await world.online()
            _ = try await world.events.next { published("vcard", $0) }
            _ = try await world.events.next { published("avatar", $0) }
            #expect(content.vCard(of: .bot).flatMap { VCard($0) }?.fullName == "Support")
            #expect(content.payloads(at: Namespace.avatarMetadata, of: .bot) == [AvatarMetadata(image).element])
            world.write([account(name: "Help", avatar: other)], [.of([])])
            let change = await world.service.reload().change
            #expect(change?.updated == [.bot] && change?.restarted == [])
            _ = try await world.events.next { published("avatar", $0) }
            let card = content.vCard(of: .bot).flatMap { VCard($0) }
            #expect(card?.fullName == "Help" && card?.photo?.hash == other.hash)
            #expect(world.connects == 1)
        }
    }

    @Test("an account that observes publishes nothing, asks no contact, and says so with an empty announcement")
    func observing() async throws {
        let bot = account(mode: .observe)
        try await inWorld(
            [bot],
            before: { server in
                await server.react(content.reaction)
                await server.push(.ally, to: .bot) { $0.subscription = "both" }
            }
        ) { world in
            try await world.online()
            await world.server.send(announcement(image.hash), to: .bot)
            try await world.quiet()
            #expect(content.vCard(of: .bot) == nil)
            #expect(!world.server.received.all.contains { $0.isIQ("get", "vCard", Namespace.vCard) })
            #expect(!world.server.received.all.contains { $0.isIQ("get", "pubsub", Namespace.pubSub) })
        }
    }

    private func announcement(_ hash: AvatarHash) -> String {
        "<presence from='ally@example.org/x'><x xmlns='vcard-temp:x:update'><photo>\(hash)</photo></x></presence>"
    }

    private func answer(_ world: World, fresh: Bool = false) async throws -> AvatarAnswer {
        try await world.service.avatar(of: .ally, account: .bot, fresh: fresh, asking: .contacts).get()
    }

    @Test(
        "a contact's picture is kept as it is announced: the copy is given first, and the contact when it is to be fresh"
    )
    func contacts() async throws {
        content.publish(image, of: .ally)
        try await inWorld(before: { server in
            await server.react(content.reaction)
            await server.push(.ally, to: .bot) { $0.subscription = "both" }
        }) { world in
            try await world.online()
            await world.server.send(announcement(image.hash), to: .bot)
            try await world.until("the picture is kept") { world.service.avatars.contains(image.hash) }
            await world.pass(.seconds(3))
            try await world.until("the row is written") {
                try await world.store.avatar(of: .ally, account: .bot)?.hash == image.hash
            }
            let copy = try await answer(world)
            #expect(copy.origin == .cache && copy.image == image && copy.row.source == .vCard)
            content.publish(other, of: .ally)
            let fresh = try await answer(world, fresh: true)
            #expect(fresh.origin == .server && fresh.image == other && fresh.row.source == .pep)
        }
    }

    @Test("two accounts that see the same picture fetch it once")
    func once() async throws {
        content.publish(image, of: .ally)
        let sales = try BareJID("sales@example.org")
        try await inWorld(
            [.of("bot@example.org"), .of("sales@example.org")],
            before: { server in
                await server.react(content.reaction)
                for jid in [BareJID.bot, sales] { await server.push(.ally, to: jid) { $0.subscription = "both" } }
            }
        ) { world in
            for jid in [BareJID.bot, sales] { try await world.online(jid) }
            for jid in [BareJID.bot, sales] { await world.server.send(announcement(image.hash), to: jid) }
            for jid in [BareJID.bot, sales] {
                try await world.until("\(jid) knows it") {
                    await world.pass(.seconds(3))
                    return try await world.store.avatar(of: .ally, account: jid)?.hash == image.hash
                }
            }
            #expect(world.server.received.all.count { $0.isIQ("get", "pubsub", Namespace.pubSub) } == 1)
        }
    }

    @Test("when a contact changes its picture is kept; the first one that is known of is no change")
    func changeOfPicture() async throws {
        content.publish(image, of: .ally)
        content.publish(other, of: .ally)
        try await inWorld(
            before: { server in
                await server.react(content.reaction)
                await server.push(.ally, to: .bot) { $0.subscription = "both" }
            }
        ) { world in
            try await world.online()
            func changed() async throws -> Timestamp? {
                try await world.service.roster(of: .bot)?.items.first { $0.jid == .ally }?.evidence?.lastAvatarChange
            }
            func announce(_ image: AvatarImage) async throws {
                await world.server.send(announcement(image.hash), to: .bot)
                try await world.until("it is known") {
                    await world.pass(.seconds(3))
                    return try await world.store.avatar(of: .ally, account: .bot)?.hash == image.hash
                }
            }
            try await announce(image)
            #expect(try await changed() == nil)
            try await announce(other)
            #expect(try await changed() != nil)
        }
    }

    @Test("an operator's picture is published, and a refusal told")
    func setting() async throws {
        try await inWorld(before: { await $0.react(content.reaction) }) { world in
            try await world.online()
            #expect(await world.service.setAvatar(image, of: .bot, by: "ana") == nil)
            _ = try await world.events.next { if case .avatarSet(.bot, _, "ana") = $0 { true } else { false } }
            #expect(content.payloads(at: Namespace.avatarMetadata, of: .bot) == [AvatarMetadata(image).element])
            content.refuse(nodes: [Namespace.avatarData])
            let refusal = await world.service.setAvatar(other, of: .bot, by: "ana")
            #expect(refusal?.text == "the server refused it (not-acceptable)")
            #expect(await world.service.setAvatar(other, of: .new, by: "ana") == .offline)
        }
    }
}

extension ServerContent {
    fileprivate func publish(_ image: AvatarImage, of jid: BareJID) {
        let id = image.hash.description
        publish(AvatarDataPayload.element(image), id: id, at: Namespace.avatarData, of: jid)
        publish(AvatarMetadata(image).element, id: id, at: Namespace.avatarMetadata, of: jid)
    }
}
