import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// Whatever others send about contacts, pictures and lists, nothing of it stops the program or grows over its bound.
@Suite struct HostileContactTests {
    private static let hash = "5e3a3e3c3a3b3c3d3e3f404142434445464748ff"

    private func makeWeaver(_ seed: UInt64) -> ElementWeaver {
        ElementWeaver(
            names: [
                "vCard", "vcard", "PHOTO", "TYPE", "BINVAL", "EXTVAL", "N", "FAMILY", "FN", "NICKNAME", "ADR", "LABEL",
                "LINE", "TEL", "NUMBER", "EMAIL", "USERID", "uri", "text", "fn", "photo", "nickname", "metadata",
                "info",
                "data", "event", "items", "item", "retract", "purge", "delete", "pubsub", "x", "group", "moved",
                "new-jid",
                "old-jid", "preauth", "blocklist", "block", "unblock", "report", "query", "status", "nick",
            ],
            namespaces: [
                Namespace.client, Namespace.vCard, Namespace.vCard4, Namespace.avatarMetadata, Namespace.avatarData,
                Namespace.pubSub, Namespace.pubSubEvent, Namespace.rosterExchange, Namespace.moved,
                Namespace.preAuthentication, Namespace.blocking, Namespace.roster, Namespace.nick,
                Namespace.vCardUpdate, "urn:xmpp:reporting:1",
            ],
            attributes: [
                "id", "type", "bytes", "width", "height", "url", "node", "jid", "name", "action", "subscription", "ask",
                "approved", "ver", "token", "reason",
            ],
            values: [
                "", "a@b", "a@b/c", "@", "\u{0}", "-1", "9223372036854775808", "0", "image/png", "add", "delete",
                "both",
                "remove", "subscribe", "true", "current", Self.hash, "AAAA", "iVBORw0KGgo=", "/9j/", "====", "🏽‍🚀",
                Namespace.avatarMetadata, Namespace.avatarData, "urn:xmpp:moved:1", "urn:xmpp:reporting:spam",
                "xmpp:a@b?x", String(repeating: "n", count: 2_000),
            ],
            chance: SplitMix(seed: seed))
    }

    /// Half of the elements have a name and a namespace that belong together, so that what is inside is read.
    private static let roots: [(String, String)] = [
        ("vCard", Namespace.vCard), ("vcard", Namespace.vCard4), ("metadata", Namespace.avatarMetadata),
        ("data", Namespace.avatarData), ("pubsub", Namespace.pubSub), ("event", Namespace.pubSubEvent),
        ("x", Namespace.rosterExchange), ("blocklist", Namespace.blocking), ("block", Namespace.blocking),
        ("query", Namespace.roster), ("moved", Namespace.moved), ("x", Namespace.vCardUpdate),
    ]

    @Test("payloads of chance are read or not read, within their bounds", arguments: [11, 12, 13, 14] as [UInt64])
    func payloads(seed: UInt64) throws {
        var weaver = makeWeaver(seed)
        for _ in 0..<400 {
            var element = weaver.element(4)
            (element.name, element.namespace) = weaver.pick(Self.roots)
            read(element, &weaver)
            let message = Message(
                Element(
                    "message", namespace: Namespace.client,
                    attributes: [.init("from", weaver.pick(["a@b", "a@b/c", "@"]))],
                    children: [.element(element)]))
            if let message { _ = PubSubEvent(message, to: .bot) }
            var presence = Presence(weaver.pick([.available, .subscribe, .error]), children: [element])
            presence.from = JID(.ann)
            _ = (
                SubscriptionPayload.request(in: presence), InvitationURI.token(in: presence),
                MovedPayload.oldAddress(in: presence, from: .ann), VCardUpdate(presence)
            )
        }
    }

    private func read(_ element: Element, _ weaver: inout ElementWeaver) {
        if let card = VCard(element) {
            _ = (card.fullName, card.name, card.nickname, card.addresses, card.labels, card.telephones, card.emails)
            if let image = card.photo?.image { #expect(image.bytes.count <= AvatarImage.limit) }
        }
        if let card = VCard4(element) {
            _ = (card.fullName, card.nickname, card.note, card.url, card.address, card.kind)
        }
        if let metadata = AvatarMetadata(element) { #expect(metadata.infos.count <= AvatarMetadata.limit) }
        if let bytes = AvatarDataPayload.bytes(in: element) { #expect(bytes.count <= AvatarImage.limit) }
        let items = PubSubPayload.items(in: element, of: weaver.pick([Namespace.avatarMetadata, "urn:xmpp:moved:1"]))
        _ = AvatarMetadata.current(in: items)
        if let exchange = try? RosterExchange(element) { #expect(exchange.items.count <= RosterExchange.limit) }
        _ = (MovedPayload.newAddress(in: element), BlockingPayload.items(in: element))
        let list = RosterPayload.items(in: element)
        for change in RosterPayload.changes(in: element) {
            guard case .set(let item) = change else { continue }
            #expect(list.contains { $0.jid == item.jid })
        }
    }

    @Test("modules that are given stanzas of chance stay within their bounds", arguments: [21, 22] as [UInt64])
    func modules(seed: UInt64) throws {
        var weaver = makeWeaver(seed)
        let roster = RosterModule(account: .bot) { _ in }
        roster.loaded(nil)
        let avatars = AvatarModule(account: .bot, cache: MemoryAvatarCache(), isContact: { _ in true })
        let blocking = BlockingModule(account: .bot)
        let modules: [any SessionModule] = [
            roster, SubscriptionModule(roster: roster) { _ in }, PresenceModule(account: .bot, roster: roster),
            blocking,
            avatars, RosterExchangeModule(isTrusted: { _ in true }, onEvent: { _ in }),
            ProfileModule(account: .bot, profile: Profile()),
        ]
        let router = StanzaRouter(modules: modules)
        for _ in 0..<600 {
            var payload = weaver.element(3)
            (payload.name, payload.namespace) = weaver.pick(Self.roots)
            let (name, types) = weaver.pick([
                ("iq", ["set", "get"]), ("presence", ["subscribe", "unsubscribed", "error", "unavailable", ""]),
                ("message", ["chat", "headline", "error", ""]),
            ])
            var stanza = Element(name, namespace: Namespace.client, children: [.element(payload)])
            stanza[attribute: "from"] = weaver.pick(["bot@example.org", "ann@example.org/x", "eve@example.net", "@"])
            stanza[attribute: "id"] = "x"
            let type = weaver.pick(types)
            if !type.isEmpty { stanza[attribute: "type"] = type }
            guard let read = Stanza(stanza) else { continue }
            // A request always gets an answer where it has a sender to answer, and nothing else does.
            let answer = router.route(read)
            #expect((answer != nil) == (name == "iq" && !read.fromIsInvalid))
        }
        #expect(roster.items.count <= 600)
    }
}
