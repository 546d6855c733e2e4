import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Contacts' pictures with a `Client`, where something is wrong with what contacts and servers say.
@Suite struct AvatarFaultsTests {
    /// Answers what is asked for a vCard with that error.
    private func refuse(_ world: AvatarWorld, _ type: String, _ condition: String) async {
        await world.server.react { received in
            guard received.isIQ("get", "vCard", Namespace.vCard) else { return world.content.reaction(received) }
            let id = received.element[attribute: "id"] ?? ""
            let error = "<\(condition) xmlns='\(Namespace.stanzaErrors)'/>"
            return .send(
                "<iq type='error' id='\(id)' from='ann@example.org'><error type='\(type)'>\(error)</error></iq>")
        }
    }

    @Test(
        "a refusal that passes is no word of the contact: it is asked again after ten minutes, else after a day",
        arguments: [
            ("wait", "resource-constraint", true), ("wait", "remote-server-timeout", true),
            ("cancel", "remote-server-timeout", true), ("wait", "internal-server-error", true),
            ("cancel", "service-unavailable", false), ("cancel", "remote-server-not-found", false),
            ("auth", "forbidden", false),
        ])
    func refusals(type: String, condition: String, passes: Bool) async throws {
        let world = try await AvatarWorld()
        await refuse(world, type, condition)
        let hash = try Pictures.image().hash
        try await world.presence(world.photo(hash.description))
        let change = try await world.told.next { _ in true }
        guard case .failed(.ann, hash, let until) = change else {
            Issue.record("\(change)")
            return
        }
        let pause = passes ? ContactAvatars.silentPause : ContactAvatars.wrongPause
        #expect(until.milliseconds == world.now() + pause)
        try await world.finish()
    }

    @Test("who is in a room is no contact, though the room's address is one (XEP-0153 section 7)")
    func occupants() async throws {
        let world = try await AvatarWorld()
        let image = try Pictures.image()
        world.content.publish(image, of: .ann)
        let update = world.photo(image.hash.description)
        try await world.presence(update, more: "<x xmlns='http://jabber.org/protocol/muc#user'/>")
        #expect(world.items == 0 && world.cards == 0)
        try await world.presence(update)
        #expect(world.items == 1)
        try await world.finish()
    }

    private func event(_ inner: String) -> String {
        "<message from='ann@example.org' type='headline'><event xmlns='\(Namespace.pubSubEvent)'>\(inner)</event></message>"
    }

    private func items(_ inner: String) -> String {
        event("<items node='\(Namespace.avatarMetadata)'>\(inner)</items>")
    }

    @Test("an old picture that is taken back leaves the new one; the present one, a purge or a deletion takes it away")
    func takenBack() async throws {
        let image = try Pictures.image()
        let node = Namespace.avatarMetadata
        let takingAway = [
            items("<retract id='\(image.hash)'/>"), event("<purge node='\(node)'/>"), event("<delete node='\(node)'/>"),
        ]
        for message in takingAway {
            let world = try await AvatarWorld()
            world.content.publish(image, of: .ann)
            await world.server.send(
                items(
                    "<item id='\(image.hash)'><metadata xmlns='\(node)'><info id='\(image.hash)' type='image/png' bytes='73'/>"
                        + "</metadata></item>"), to: .bot)
            _ = try await world.told.next { _ in true }
            let old = AvatarHash(of: [1])
            for other in [items("<retract id='\(old)'/>"), event("<purge node='urn:example:other'/>")] {
                await world.server.send(other, to: .bot)
                try await world.server.barrier(.bot)
                #expect(await world.avatar() == ContactAvatar(image.hash, from: .pep))
            }
            await world.server.send(message, to: .bot)
            try await world.server.barrier(.bot)
            #expect(await world.avatar() == ContactAvatar(nil, from: .pep), "\(message)")
            try await world.finish()
        }
    }

    @Test("other bytes than were announced are not kept: the vCard is tried, and then it is not asked for again")
    func wrongBytes() async throws {
        let world = try await AvatarWorld()
        let (image, other) = (try Pictures.image(), try Pictures.image(Pictures.other))
        world.content.publish(other, of: .ann, id: image.hash)
        world.content.setVCard(Pictures.card(VCardPhoto(other)), of: .ann)
        for _ in 0..<5 { try await world.presence(world.photo(image.hash.description)) }
        #expect(world.items == 1 && world.cards == 1)
        #expect(await world.avatar() == nil)
        #expect(await world.isKept(image.hash) == false)
        #expect(await world.isKept(other.hash) == false)
        try await world.finish()
    }

    @Test("what was not asked for, or answers somebody else's question, changes nothing")
    func unasked() async throws {
        let world = try await AvatarWorld()
        let image = try Pictures.image()
        let data =
            "<item id='\(image.hash)'><data xmlns='\(Namespace.avatarData)'>\(Base64.encode(image.bytes))</data></item>"
        let payloads = [
            String(decoding: Pictures.card(VCardPhoto(image)).serialized(inside: Namespace.client), as: UTF8.self),
            "<pubsub xmlns='\(Namespace.pubSub)'><items node='\(Namespace.avatarData)'>\(data)</items></pubsub>",
            "<query xmlns='\(Namespace.discoInfo)'><feature var='urn:x'/></query>",
        ]
        func answers(_ id: String, from: [String]) async throws {
            for payload in payloads {
                for sender in from {
                    await world.server.send("<iq type='result' id='\(id)' from='\(sender)'>\(payload)</iq>", to: .bot)
                }
            }
            try await world.server.barrier(.bot)
        }
        let senders = ["ann@example.org", "ann@example.org/x", "eve@example.net", "example.org", "bot@example.org"]
        try await answers("any", from: senders)
        // The question is there, and is not answered by its contact.
        await world.server.react { $0.isIQ("get", "pubsub", Namespace.pubSub) ? .nothing : .usual }
        try await world.presence(world.photo(image.hash.description))
        let id = try #require(
            world.server.received.all.last { $0.isIQ("get", "pubsub", Namespace.pubSub) }?.element[attribute: "id"])
        try await answers(id, from: ["eve@example.net", "ann@example.org/x", "example.org"])
        #expect(await world.avatar() == nil)
        #expect(await world.isKept(image.hash) == false)
        #expect(world.told.all.isEmpty && world.cards == 0)
        try await world.finish()
    }
}
