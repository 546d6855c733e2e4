import DoorwardConfig
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// Who is asked for a picture: who is asked learns the account's full address, and that it is there (D3).
@Suite struct AvatarAskingTests {
    private let image: AvatarImage
    private let content = ServerContent()

    init() throws {
        image = try AvatarImage(Array("GIF89a\u{1}\0\u{1}\0\0\0\0 one".utf8))
        for name in Self.strangers + Self.contacts + ["unknown"] { publish(of: .of(name)) }
    }

    private static let contacts = ["to", "from", "both"]
    private static let strangers = ["none", "asked", "pending", "rejected", "blocked"]

    private func publish(of jid: BareJID) {
        let id = image.hash.description
        content.publish(AvatarDataPayload.element(image), id: id, at: Namespace.avatarData, of: jid)
        content.publish(AvatarMetadata(image).element, id: id, at: Namespace.avatarMetadata, of: jid)
    }

    private func prepare(_ server: ScriptedServer) async {
        await server.react(content.reaction)
        var roster = Self.contacts.map { ServerRosterItem(.of($0), subscription: $0) }
        roster += [
            ServerRosterItem(.of("none"), subscription: "none"),
            ServerRosterItem(.of("rejected"), subscription: "none"),
            ServerRosterItem(.of("asked"), subscription: "none", asked: true),
            ServerRosterItem(.of("blocked"), subscription: "both"),
        ]
        await server.add(.bot, password: "secret", roster: roster)
        await server.behave { $0.announcesBlocking = true }
        await server.block(.bot, [JID(BareJID.of("blocked"))])
    }

    /// Both ways to announce a picture.
    private func announcements(of name: String) -> String {
        """
        <presence from='\(name)@example.net/x'><x xmlns='vcard-temp:x:update'><photo>\(image.hash)</photo></x></presence>\
        <message from='\(name)@example.net' type='headline'><event xmlns='\(Namespace.pubSubEvent)'><items node='\(
            Namespace.avatarMetadata)'><item id='\(image.hash)'><metadata xmlns='\(Namespace.avatarMetadata)'><info id='\(
            image.hash)' type='image/gif' bytes='17'/></metadata></item></items></event></message>
        """
    }

    /// Whom the account has sent something, but for its server and itself.
    private func told(_ world: World) -> Set<String> {
        Set(world.server.received.all.compactMap { $0.element[attribute: "to"] }.filter { $0.contains("@example.net") })
    }

    @Test("what strangers, the rejected, the blocked and those who have not answered announce is asked of nobody")
    func announced() async throws {
        try await inWorld(before: prepare) { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(BareJID.of("pending")))
            try await world.until("it is on the desk") { try await !world.pending().isEmpty }
            for name in Self.strangers + ["unknown"] { await world.server.send(announcements(of: name), to: .bot) }
            try await world.quiet()
            #expect(told(world).isEmpty && world.service.avatars.size.count == 0)
            // One of those who may know it is asked.
            await world.server.send(announcements(of: "to"), to: .bot)
            try await world.until("the picture is kept") { world.service.avatars.contains(image.hash) }
            #expect(told(world) == ["to@example.net"])
        }
    }

    @Test("a viewer's question reaches contacts with a subscription only, an operator's anybody but the blocked")
    func asked() async throws {
        try await inWorld(before: prepare) { world in
            try await world.online()
            for name in Self.strangers + ["unknown"] {
                for fresh in [false, true] {
                    let answer = try await world.service.avatar(
                        of: .of(name), account: .bot, fresh: fresh, asking: .contacts)
                    guard case .failure(let refusal) = answer else {
                        Issue.record("\(name) was asked")
                        continue
                    }
                    #expect(refusal.text.contains(name == "blocked" ? "blocked" : "an operator may ask"), "\(refusal)")
                }
            }
            #expect(told(world).isEmpty)
            for name in Self.contacts {
                let answer = try await world.service.avatar(
                    of: .of(name), account: .bot, fresh: true, asking: .contacts)
                #expect(try answer.get().image == image)
            }
            let stranger = try await world.service.avatar(
                of: .of("unknown"), account: .bot, fresh: false, asking: .anybody)
            #expect(try stranger.get().image == image)
            #expect(told(world) == ["to@example.net", "from@example.net", "both@example.net", "unknown@example.net"])
            let blocked = try await world.service.avatar(
                of: .of("blocked"), account: .bot, fresh: true, asking: .anybody)
            #expect(throws: AvatarRefusal.self) { try blocked.get() }
        }
    }

    @Test("what is kept of one who is no contact any more is given, and it is not asked behind that")
    func kept() async throws {
        try await inWorld(before: prepare) { world in
            try await world.online()
            _ = try await world.service.avatar(of: .of("none"), account: .bot, fresh: true, asking: .anybody).get()
            let row = AvatarRow(
                contact: .of("none"), hash: image.hash, source: .pep, checkedAt: Timestamp(milliseconds: 0))
            try await world.store.save([.known(row)], of: .bot)
            let before = world.server.received.all.count
            for asking in [AvatarAsking.contacts, .anybody] {
                let copy = try await world.service.avatar(of: .of("none"), account: .bot, fresh: false, asking: asking)
                #expect(try copy.get().origin == .cache && copy.get().image == image)
            }
            try await world.quiet()
            #expect(
                !world.server.received.all.dropFirst(before).contains {
                    $0.element[attribute: "to"] == "none@example.net"
                })
        }
    }

    @Test("what an operator was told is what the next question is told, at once and later, of whomever is in the list")
    func remembered() async throws {
        try await inWorld(before: prepare) { world in
            try await world.online()
            for (number, name) in ["none", "both", "to"].enumerated() {
                for round in 0..<2 {
                    let next = try AvatarImage(
                        Array("GIF89a\u{1}\0\u{1}\0\0\0\0 \(number) \(round)".utf8))
                    let id = next.hash.description
                    content.publish(AvatarDataPayload.element(next), id: id, at: Namespace.avatarData, of: .of(name))
                    content.publish(AvatarMetadata(next).element, id: id, at: Namespace.avatarMetadata, of: .of(name))
                    func answer(_ fresh: Bool) async throws -> AvatarAnswer {
                        try await world.service.avatar(of: .of(name), account: .bot, fresh: fresh, asking: .anybody)
                            .get()
                    }
                    #expect(try await answer(true).image == next)
                    #expect(try await answer(false).image == next)
                    await world.pass(.seconds(3))
                    try await world.until("it is on disk") {
                        try await world.store.avatar(of: .of(name), account: .bot)?.hash == next.hash
                    }
                    let copy = try await answer(false)
                    #expect(copy.origin == .cache && copy.image == next)
                }
            }
            // Who is in no list leaves nothing.
            _ = try await world.service.avatar(of: .of("unknown"), account: .bot, fresh: true, asking: .anybody).get()
            await world.pass(.seconds(3))
            try await world.quiet()
            #expect(try await world.store.avatar(of: .of("unknown"), account: .bot) == nil)
        }
    }

    @Test("a newer picture that is none that is taken is shown to be there, and that of before is given")
    func useless() async throws {
        try await inWorld(before: prepare) { world in
            try await world.online()
            func answer(_ fresh: Bool) async throws -> Result<AvatarAnswer, AvatarRefusal> {
                try await world.service.avatar(of: .of("both"), account: .bot, fresh: fresh, asking: .anybody)
            }
            #expect(try await answer(true).get().image == image)
            let next = try AvatarImage(Array("GIF89a\u{1}\0\u{1}\0\0\0\0 next".utf8))
            let (id, page) = (next.hash.description, Base64.encode(Array("<html>".utf8)))
            let data = Element("data", namespace: Namespace.avatarData, children: [.text(page)])
            content.publish(data, id: id, at: Namespace.avatarData, of: .of("both"))
            content.publish(AvatarMetadata(next).element, id: id, at: Namespace.avatarMetadata, of: .of("both"))
            let refused = try await answer(true)
            #expect(throws: AvatarRefusal.self) { try refused.get() }
            let copy = try await answer(false).get()
            #expect(copy.image == image && copy.row.failure?.hash == next.hash)
        }
    }

    @Test("what was known of the picture of one who left while the account was away is forgotten")
    func away() async throws {
        try await inWorld(before: prepare) { world in
            try await world.online()
            let rows = [BareJID.of("both"), .of("from")].map {
                AvatarRow(contact: $0, hash: nil, source: .vCard, checkedAt: Timestamp(milliseconds: 0))
            }
            try await world.store.save(rows.map { .known($0) }, of: .bot)
            try await world.until("the roster is kept") { try await world.store.keptRoster(of: .bot) != nil }
            await world.server.behave { $0.isReachable = false }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.remove(.of("both"), from: .bot)
            await world.server.behave { $0.isReachable = true }
            await world.pass(.seconds(5))
            try await world.online()
            try await world.until("its row is gone") {
                await world.pass(.seconds(3))
                return try await world.store.avatars(of: .bot).map(\.contact) == [.of("from")]
            }
        }
    }

    @Test("an account that only observes asks nobody, whoever wants it")
    func observing() async throws {
        try await inWorld([.of("bot@example.org", mode: .observe)], before: prepare) { world in
            try await world.online()
            await world.server.send(announcements(of: "both"), to: .bot)
            let answer = try await world.service.avatar(of: .of("both"), account: .bot, fresh: true, asking: .anybody)
            guard case .failure(let refusal) = answer else {
                Issue.record("it was asked")
                return
            }
            #expect(refusal.text.contains("only observes"))
            try await world.quiet()
            #expect(told(world).isEmpty)
        }
    }
}
