import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// What an account publishes of itself, with a `Client`.
@Suite struct ProfileTests {
    private static let nodes = ProfileWorld.nodes

    private var full: Profile {
        get throws { Profile(name: "Support", nickname: "support", avatar: try Pictures.image()) }
    }

    @Test("what differs is published on both sides, the bytes before what is said of them, and announced then")
    func both() async throws {
        let world = try await ProfileWorld(full, features: [Self.nodes]) {
            $0.setVCard(
                Element(
                    "vCard", namespace: Namespace.vCard,
                    children: [.element(Element("X-OLD", namespace: Namespace.vCard))]), of: .bot)
        }
        let image = try Pictures.image()
        let card = try #require(world.content.vCard(of: .bot).flatMap { VCard($0) })
        #expect(card.fullName == "Support" && card.nickname == "support" && card.photo?.image == image)
        #expect(card.element.first("X-OLD", Namespace.vCard) != nil)
        #expect(world.content.payloads(at: Namespace.nick, of: .bot).map(\.text) == ["support"])
        #expect(world.content.payloads(at: Namespace.avatarMetadata, of: .bot) == [AvatarMetadata(image).element])
        let nodes = world.server.received.all.compactMap {
            $0.element.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)?[attribute: "node"]
        }
        #expect(nodes == [Namespace.nick, Namespace.avatarData, Namespace.avatarMetadata])
        #expect(world.updates == [.notReady, VCardUpdate.none, .picture(image.hash)])
        #expect(world.outcomes.all.map(\.part) == [.vCard, .nickname, .avatar])
        #expect(world.outcomes.all.allSatisfy { $0.error == nil })
        try await world.finish()
    }

    @Test("what is there already is not published again")
    func same() async throws {
        let image = try Pictures.image()
        let world = try await ProfileWorld(full, features: [Self.nodes]) { content in
            var card = VCard()
            card.fullName = "Support"
            card.nickname = "support"
            card.photo = VCardPhoto(image)
            content.setVCard(card.element, of: .bot)
            content.publish(image, of: .bot)
            content.publish(
                Element("nick", namespace: Namespace.nick, children: [.text("support")]), id: "current",
                at: Namespace.nick, of: .bot)
        }
        #expect(world.sets == 0 && world.outcomes.all.isEmpty)
        #expect(world.updates == [.notReady, .picture(image.hash)])
        try await world.finish()
    }

    @Test(
        "a server that keeps both the same gets the picture at its node, and announces it with the presence sent behind it"
    )
    func converting() async throws {
        let world = try await ProfileWorld(full, features: [Self.nodes, Namespace.avatarConversion])
        let card = try #require(world.content.vCard(of: .bot).flatMap { VCard($0) })
        #expect(card.fullName == "Support" && card.photo == nil)
        #expect(world.content.payloads(at: Namespace.avatarMetadata, of: .bot).count == 1)
        // Once behind all of it: the server puts the hash in.
        #expect(world.updates == [.notReady, .notReady])
        let reply = EventRecorder<[ProfileModule.Outcome]>()
        func publish(_ image: AvatarImage) async throws {
            _ = await world.client.withModule(ProfileModule.self) {
                $0.publish(Profile(avatar: image)) { reply.record($0) }
            }
            #expect(try await reply.next { _ in true }.allSatisfy { $0.error == nil })
            try await world.settled()
        }
        try await publish(Pictures.image())
        #expect(world.updates.count == 2, "the same picture is no news")
        try await publish(AvatarImage(Pictures.image().bytes + [7]))
        #expect(world.updates == [.notReady, .notReady, .notReady])
        try await world.finish()
    }

    @Test("where the server keeps both the same and has no nodes, a new picture in the vCard is announced so too")
    func convertingWithoutNodes() async throws {
        let world = try await ProfileWorld(full, features: [Namespace.avatarConversion])
        #expect(world.content.vCard(of: .bot).flatMap { VCard($0) }?.photo?.image == (try Pictures.image()))
        #expect(world.updates == [.notReady, .notReady])
        _ = await world.client.withModule(ProfileModule.self) {
            $0.change(to: Profile(name: "Other", nickname: "support", avatar: try? Pictures.image()))
        }
        try await world.settled()
        #expect(world.updates.count == 2, "a name is no picture")
        try await world.finish()
    }

    @Test("a node that is another than it should be is configured, and then published at")
    func precondition() async throws {
        let world = try await ProfileWorld(Profile(avatar: Pictures.image()), features: [Self.nodes]) {
            $0.makeStrict(nodes: [Namespace.avatarData])
        }
        #expect(world.content.payloads(at: Namespace.avatarData, of: .bot).count == 1)
        #expect(world.server.received.all.count { $0.isIQ("set", "pubsub", Namespace.pubSubOwner) } == 1)
        #expect(world.outcomes.all.allSatisfy { $0.error == nil })
        try await world.finish()
    }

    @Test("a refusal is told as one, after the server's answer, and the rest is published all the same")
    func refused() async throws {
        let world = try await ProfileWorld(full, features: [Self.nodes]) {
            $0.refuseVCards()
            $0.refuse(nodes: [Namespace.nick])
        }
        let told = world.outcomes.all
        #expect(told.map(\.part) == [.vCard, .nickname, .avatar])
        #expect(told.map { $0.error?.condition } == ["not-acceptable", "not-acceptable", nil])
        // What the server did not take is not announced.
        #expect(world.updates == [.notReady, VCardUpdate.none])
        try await world.finish()
    }

    @Test("without nodes the vCard alone is published; without a profile nothing is asked or published")
    func fewer() async throws {
        let world = try await ProfileWorld(full, features: [])
        #expect(world.outcomes.all.map(\.part) == [.vCard])
        #expect(world.content.payloads(at: Namespace.nick, of: .bot).isEmpty)
        try await world.finish()
        let silent = try await ProfileWorld(Profile(), features: [Self.nodes])
        #expect(silent.updates == [.notReady])
        #expect(!silent.server.received.all.contains { $0.isIQ("get") || $0.isIQ("set") })
        try await silent.finish()
    }

    @Test("a vCard that could not be read is not written: it would lose what is in it")
    func unread() async throws {
        let world = try await ProfileWorld(Profile(), features: [])
        await world.server.react { received in
            guard received.isIQ("get", "vCard", Namespace.vCard) else { return .usual }
            let id = received.element[attribute: "id"] ?? ""
            return .send(
                "<iq type='error' id='\(id)'><error type='wait'><resource-constraint xmlns='\(Namespace.stanzaErrors)'/></error></iq>"
            )
        }
        _ = await world.client.withModule(ProfileModule.self) { $0.change(to: Profile(name: "Support")) }
        let outcome = try await world.outcomes.next { _ in true }
        #expect(outcome.part == .vCard && outcome.error?.condition == "resource-constraint")
        #expect(world.sets == 0)
        try await world.finish()
    }

    @Test(
        "another profile is published in the session that is there; another client's picture is only announced (B028)")
    func change() async throws {
        let (image, other) = (try Pictures.image(), try Pictures.image(Pictures.other))
        let world = try await ProfileWorld(Profile(avatar: image), features: [])
        _ = await world.client.withModule(ProfileModule.self) { $0.change(to: Profile(name: "New", avatar: image)) }
        try await world.settled()
        var card = try #require(world.content.vCard(of: .bot).flatMap { VCard($0) })
        #expect(card.fullName == "New" && card.photo?.image == image)
        let sets = world.sets
        // Another client changes the picture, and says so as often as it likes.
        card.photo = VCardPhoto(other)
        world.content.setVCard(card.element, of: .bot)
        let said =
            "<presence from='bot@example.org/phone'><x xmlns='vcard-temp:x:update'><photo>\(other.hash)</photo></x></presence>"
        for _ in 0..<4 {
            await world.server.send(said, to: .bot)
            try await world.settled()
        }
        #expect(world.sets == sets)
        #expect(world.updates.suffix(3) == [.picture(image.hash), .notReady, .picture(other.hash)])
        try await world.finish()
    }

    @Test("a publication over those that wait is refused as busy; the others are done in order, and the profile too")
    func queue() async throws {
        let world = try await ProfileWorld(Profile(), features: [])
        let answers = EventRecorder<(number: Int, outcomes: [ProfileModule.Outcome])>()
        let limit = ProfileModule.queueLimit
        _ = await world.client.withModule(ProfileModule.self) { module in
            // One is under way, so many wait, and one is too many.
            for number in 0..<limit + 2 {
                module.publish(Profile(nickname: "n\(number)")) { answers.record((number, $0)) }
            }
            // What the account is to say of itself takes no place of theirs, however often it changes.
            for number in 0..<100 { module.change(to: Profile(name: "Name \(number)")) }
        }
        let refused = try await answers.next { _ in true }
        #expect(refused.number == limit + 1 && refused.outcomes.map(\.error) == [.busy])
        for number in 0...limit {
            let answer = try await answers.next { _ in true }
            #expect(answer.number == number && answer.outcomes.map(\.part) == [.vCard])
            #expect(answer.outcomes.allSatisfy { $0.error == nil })
        }
        try await world.settled()
        let card = try #require(world.content.vCard(of: .bot).flatMap { VCard($0) })
        #expect(card.nickname == "n\(limit)" && card.fullName == "Name 99")
        // Each once, and the profile once: as it was when its turn came.
        #expect(world.sets == limit + 2)
        _ = await world.client.withModule(ProfileModule.self) { module in
            module.publish(Profile(nickname: "more")) { answers.record((limit, $0)) }
        }
        #expect(try await answers.next { _ in true }.outcomes.map(\.error) == [nil])
        try await world.finish()
    }

    @Test("only presence for all says something of the picture")
    func directed() async throws {
        let world = try await ProfileWorld(Profile(), features: [])
        try await world.client.send(Presence(.subscribe, to: JID(.ann)))
        try await world.client.send(Presence(.available, to: JID(.ann)))
        try await world.settled()
        let others = world.server.received.all.compactMap { Presence($0.element) }.filter { $0.to != nil }
        #expect(others.count == 2 && others.allSatisfy { VCardUpdate($0) == .unsupported })
        try await world.finish()
    }
}
