import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// A stanza within a stanza: what other clients took for the real one, from anybody.
///
/// Nothing here unwraps any: carbons are not asked for, archives not read, and an event of a node is only a message.
@Suite struct WrappedStanzaTests {
    /// A wrapper, the stanza inside put in place of `%`.
    struct Wrapper: CustomTestStringConvertible, Sendable {
        let name: String
        let xml: String

        var testDescription: String { name }
    }

    private static let forward = "<forwarded xmlns='urn:xmpp:forward:0'>%</forwarded>"
    private static let carbons = [
        Wrapper(name: "received", xml: "<received xmlns='urn:xmpp:carbons:2'>\(forward)</received>"),
        Wrapper(name: "sent", xml: "<sent xmlns='urn:xmpp:carbons:2'>\(forward)</sent>"),
        Wrapper(
            name: "a carbon in a carbon",
            xml: "<received xmlns='urn:xmpp:carbons:2'>"
                + forward.replacing(
                    "%", with: "<message><sent xmlns='urn:xmpp:carbons:2'>\(forward)</sent></message>")
                + "</received>"),
    ]
    private static let archives = [
        Wrapper(name: "an answer unasked for", xml: "<result xmlns='urn:xmpp:mam:2' id='1'>\(forward)</result>"),
        Wrapper(
            name: "an answer to some query",
            xml: "<result xmlns='urn:xmpp:mam:2' queryid='q' id='1'>\(forward)</result>"),
    ]
    private static let events = [
        Wrapper(
            name: "bookmarks",
            xml: "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='storage:bookmarks'><item>%</item>"
                + "</items></event>"),
        Wrapper(
            name: "a node of one's own",
            xml: "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='urn:xmpp:bookmarks:1'>"
                + "<item id='a'>%</item></items></event>"),
    ]
    private static let senders = [
        "mallory@example.net/e", "bot@example.org/other", "bot@example.org", "example.org", "ally@example.org",
    ]

    private let seen = Seen()

    private final class Seen {
        var requests: [SubscriptionModule.Event] = []
        var items: [RosterPayload.Change] = []
        var others: [String] = []
    }

    /// A picture that every account of the process has: whoever announces it is shown with it at once.
    private static let picture: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0,
    ]

    /// What would be understood on its own.
    private static let inner = [
        "<presence xmlns='jabber:client' type='subscribe' from='ally@example.org'/>",
        "<message xmlns='jabber:client' from='ops@example.org/desk'><body>accept 1</body></message>",
        "<message xmlns='jabber:client' from='gateway.example.org'><x xmlns='http://jabber.org/protocol/rosterx'>"
            + "<item action='add' jid='mallory@example.net'/></x></message>",
        "<message xmlns='jabber:client' from='ally@example.org/x'><received xmlns='urn:xmpp:receipts' id='1'/></message>",
        "<iq xmlns='jabber:client' type='set' id='x' from='bot@example.org'><query xmlns='jabber:iq:roster'>"
            + "<item jid='mallory@example.net' subscription='both'/></query></iq>",
    ]

    /// The same of pictures, of a contact each: without a session nobody would look at them.
    private static func pictures(of contact: String) throws -> [String] {
        let hash = try AvatarImage(picture).hash
        return [
            "<presence xmlns='jabber:client' from='\(contact)/x'><x xmlns='vcard-temp:x:update'><photo>\(hash)</photo></x>"
                + "</presence>",
            "<message xmlns='jabber:client' from='\(contact)'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
                + "<items node='urn:xmpp:avatar:metadata'><item id='\(hash)'><metadata xmlns='urn:xmpp:avatar:metadata'>"
                + "<info id='\(hash)' type='image/jpeg' bytes='\(picture.count)'/></metadata></item></items></event></message>",
        ]
    }

    private static func modules(_ account: BareJID, _ seen: Seen) -> [any SessionModule] {
        let roster = RosterModule(account: account) { seen.items.append($0) }
        let disco = DiscoModule(mayKnow: { _ in true })
        return [
            roster, SubscriptionModule { seen.requests.append($0) }, BlockingModule(account: account),
            PingModule { _ in true }, disco, CapsModule(node: "urn:example", disco: disco),
            RosterExchangeModule(isTrusted: { _ in true }) { seen.others.append("\($0)") },
            ProfileModule(account: account, profile: Profile(name: "Bot")) { seen.others.append("\($0)") },
            ReceiptsModule(mayKnow: { _ in true }) { seen.others.append("\($0)") },
            RoomsModule([RoomSettings(.room, nickname: "Bot")]) { seen.others.append("\($0) \($1)") },
        ]
    }

    @Test("by themselves the request, the item and the suggestion are taken: else nothing here could fail")
    func unwrapped() throws {
        let seen = seen
        let modules = Self.modules(.bot, seen)
        for stanza in Self.inner {
            _ = StanzaRouter(modules: modules).route(try #require(Stanza(try xml(stanza))))
        }
        #expect(seen.requests.count == 1 && seen.items.count == 1)
        #expect(seen.others.contains { $0.hasPrefix("suggested") })
    }

    /// What one message with the wrapper leads to: what was understood of it, and the answer.
    private func isPassedOver(_ wrapper: Wrapper, from sender: String) throws -> Bool {
        let account = try BareJID("bot@example.org")
        let seen = seen
        let modules = Self.modules(account, seen)
        var answers: [Element] = []
        for stanza in Self.inner {
            let parser = XMLStreamParser(limits: .normal)
            let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
            let message = "<message from='\(sender)'>\(wrapper.xml.replacing("%", with: stanza))</message>"
            for case .element(let element) in parser.feed(Array((header + message).utf8)) {
                let router = StanzaRouter(modules: modules)
                answers += [router.route(try #require(Stanza(element)))].compactMap { $0 }
            }
        }
        let roster = modules.first as? RosterModule
        return answers.isEmpty && seen.requests.isEmpty && seen.items.isEmpty && seen.others.isEmpty
            && roster?.items.isEmpty == true
    }

    @Test(
        """
        a carbon is a message like any other, whoever sends it (CVE-2017-5589, CVE-2017-5590, CVE-2017-5591, \
        CVE-2017-5592, CVE-2017-5593, CVE-2017-5602, CVE-2017-5603, CVE-2017-5604, CVE-2017-5605, CVE-2017-5606, \
        CVE-2017-5858, CVE-2019-16235, CVE-2020-26547)
        """,
        arguments: carbons, senders)
    func carbon(wrapper: Wrapper, sender: String) throws {
        #expect(try isPassedOver(wrapper, from: sender))
    }

    @Test(
        "an archive's answer is a message like any other, since none is asked (CVE-2019-16237, CVE-2020-26547)",
        arguments: archives, senders)
    func archive(wrapper: Wrapper, sender: String) throws {
        #expect(try isPassedOver(wrapper, from: sender))
    }

    @Test("an event of a node is a message like any other (CVE-2023-28686)", arguments: events, senders)
    func event(wrapper: Wrapper, sender: String) throws {
        #expect(try isPassedOver(wrapper, from: sender))
    }

    @Test(
        "pictures: the wrapped announcement is nobody's, and the same by itself is taken (CVE-2023-28686)",
        arguments: carbons + archives + events)
    func picture(wrapper: Wrapper) async throws {
        let told = EventRecorder<AvatarModule.Change>()
        let living = try await LivingModules(roster: [ServerRosterItem(.ally, subscription: "both")]) {
            let cache = MemoryAvatarCache()
            if let image = try? AvatarImage(Self.picture) { cache.keep(image, of: .bot) }
            return [AvatarModule(account: .bot, cache: cache, isContact: { _ in true }) { told.record($0) }]
        }
        try await living.available()
        for contact in ["ally@example.org", "bot@example.org", "mallory@example.net"] {
            for stanza in try Self.pictures(of: contact) {
                for sender in Self.senders {
                    await living.server.send(
                        "<message from='\(sender)'>\(wrapper.xml.replacing("%", with: stanza))</message>", to: .bot)
                }
            }
        }
        try await living.server.barrier(.bot)
        #expect(told.all.isEmpty && living.sent.allSatisfy { $0.first("vCard", "vcard-temp") == nil })
        // Else nothing here could fail.
        for (number, stanza) in try Self.pictures(of: "ally@example.org").enumerated() {
            let contact = "friend\(number)@example.org"
            await living.server.send(stanza.replacing("ally@example.org", with: contact), to: .bot)
            let jid = try BareJID(contact)
            _ = try await told.next { if case .changed(jid, from: nil, to: _) = $0 { true } else { false } }
        }
        try await living.finish()
    }
}
