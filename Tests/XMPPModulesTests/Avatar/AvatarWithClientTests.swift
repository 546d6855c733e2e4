import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Contacts' pictures with a `Client`.
@Suite struct AvatarWithClientTests {
    @Test("what a presence announces is fetched once from the contact's node, and kept")
    func node() async throws {
        let world = try await AvatarWorld()
        let image = try Pictures.image()
        world.content.publish(image, of: .ann)
        try await world.presence(world.photo(image.hash.description.uppercased()))
        let change = try await world.told.next { _ in true }
        #expect(change == .changed(.ann, from: nil, to: ContactAvatar(image.hash, from: .vCard)))
        for _ in 0..<3 { try await world.presence(world.photo(image.hash.description), from: "ann@example.org/y") }
        #expect(world.items == 1 && world.cards == 0 && world.told.all.count == 1)
        try await world.finish()
    }

    @Test("what is not at the node is taken from the vCard, white space in it and a false type notwithstanding")
    func card() async throws {
        let world = try await AvatarWorld()
        let image = try Pictures.image(Pictures.other)
        world.content.setVCard(Pictures.card(.bytes(image.bytes, type: "text/html")), of: .ann)
        try await world.presence(world.photo(image.hash.description))
        _ = try await world.told.next { _ in true }
        #expect(world.items == 1 && world.cards == 1)
        #expect(await world.avatar() == ContactAvatar(image.hash, from: .vCard))
        try await world.finish()
    }

    @Test("an event of a contact's own node is believed, of another's or a full address it is not (CVE-2023-28686)")
    func event() async throws {
        let world = try await AvatarWorld()
        let image = try Pictures.image()
        world.content.publish(image, of: .ann)
        func event(from: String) -> String {
            """
            <message from='\(from)' type='headline'><event xmlns='\(Namespace.pubSubEvent)'><items node='\(
                Namespace.avatarMetadata)'><item id='\(image.hash)' publisher=''><metadata xmlns='\(
                Namespace.avatarMetadata)'><info id='\(image.hash)' type='image/png' bytes='73'/></metadata></item></items>\
            </event></message>
            """
        }
        await world.server.send(event(from: "eve@example.net") + event(from: "ann@example.org/x"), to: .bot)
        try await world.server.barrier(.bot)
        #expect(world.items == 0)
        await world.server.send(event(from: "ann@example.org"), to: .bot)
        _ = try await world.told.next { _ in true }
        #expect(await world.avatar() == ContactAvatar(image.hash, from: .pep))
        try await world.finish()
    }

    @Test("asked for by hand, the node comes first, then the vCard; an empty one is an answer")
    func asked() async throws {
        let world = try await AvatarWorld()
        #expect(try await world.ask(.ann).get() == ContactAvatar(nil, from: .vCard))
        let (image, other) = (try Pictures.image(), try Pictures.image(Pictures.other))
        world.content.setVCard(Pictures.card(VCardPhoto(other)), of: .ann)
        #expect(try await world.ask(.ann).get() == ContactAvatar(other.hash, from: .vCard))
        world.content.publish(image, of: .ann)
        #expect(try await world.ask(.ann).get() == ContactAvatar(image.hash, from: .pep))
        // Nothing of a stranger is remembered.
        world.content.publish(image, of: .eve)
        #expect(try await world.ask(.eve).get() == ContactAvatar(image.hash, from: .pep))
        #expect(await world.avatar(.eve) == nil)
        try await world.finish()
    }

    @Test("asked for by hand, a picture that is announced and is none that is taken is not 'no picture'")
    func useless() async throws {
        let world = try await AvatarWorld()
        let image = try Pictures.image()
        let page = Array("<html>no picture</html>".utf8)
        var metadata = AvatarMetadata(image)
        let announced = metadata.element
        metadata.infos[0].mediaType = "text/html"
        // The hash of another picture, no data, bytes that are none, and a type that is none.
        let data = [Pictures.other, nil, page, page].map { bytes in
            bytes.map {
                Element("data", namespace: Namespace.avatarData, children: [.text(Base64.encode($0))])
            }
        }
        for (data, metadata) in zip(data, [announced, announced, announced, metadata.element]) {
            for contact in [BareJID.ann, .eve] {
                let id = image.hash.description
                world.content.publish(metadata, id: id, at: Namespace.avatarMetadata, of: contact)
                if let data { world.content.publish(data, id: id, at: Namespace.avatarData, of: contact) }
                let answer = try await world.ask(contact)
                #expect(throws: ClientError.self) { try answer.get() }
                if case .failure(let error) = answer { #expect(error.code == .uselessReply) }
            }
        }
        #expect(await world.isKept(image.hash) == false)
        try await world.finish()
    }
}
