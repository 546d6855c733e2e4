import Testing
import XMPPCore

@testable import XMPPModules

/// Who is there, told by presences as they arrive.
@Suite struct PresenceModuleTests {
    @Test("a resource says priority, show, status, idle time, and when")
    func said() throws {
        let parts = PresenceParts()
        var idle = Element("idle", namespace: Namespace.idle)
        idle[attribute: "since"] = "2025-12-31T23:00:00Z"
        parts.receive(
            .available, BareJID.ally.at("phone"),
            [
                PresenceXML.text("show", "xa"), PresenceXML.text("status", "gone fishing"),
                PresenceXML.text("priority", "-5"), idle,
            ])
        let known = try #require(parts.presence?.resources(of: .ally).first?.presence)
        #expect(known.show == .extendedAway && known.status == "gone fishing" && known.priority == -5)
        #expect(known.idleSince == Timestamp(milliseconds: 1_767_222_000_000) && known.at == parts.now)
        #expect(parts.events == [.available(BareJID.ally.at("phone"), known, isNew: true)])
    }

    @Test(
        "what is no number, no known word or no time of the past is as if it were not there",
        arguments: [
            ("show", "AWAY"), ("show", ""), ("show", "invisible"), ("priority", "128"), ("priority", "-129"),
            ("priority", ""), ("priority", "1e3"), ("priority", " 7"), ("priority", "99999999999999999999"),
            ("status", ""), ("idle", "2999-01-01T00:00:00Z"), ("idle", "yesterday"), ("idle", ""),
        ])
    func odd(name: String, text: String) throws {
        let parts = PresenceParts()
        var child = PresenceXML.text(name, text)
        if name == "idle" {
            child = Element("idle", namespace: Namespace.idle, attributes: [.init("since", text)])
        }
        parts.receive(.available, BareJID.ally.at("a"), [child])
        #expect(parts.presence?.primary(of: .ally)?.presence == ResourcePresence(at: parts.now))
    }

    @Test("a long status is cut between two characters")
    func longStatus() throws {
        let parts = PresenceParts()
        parts.show(BareJID.ally.at("a"), status: "x" + String(repeating: "\u{20AC}", count: 1000))
        let status = try #require(parts.presence?.primary(of: .ally)?.presence.status)
        #expect(status == "x" + String(repeating: "\u{20AC}", count: 341))
    }

    @Test("a contact's resources come and go one by one, and all at once by its bare address (RFC 6121 section 4.5.4)")
    func resources() {
        let parts = PresenceParts()
        for name in ["a", "b", "c"] { parts.show(BareJID.ally.at(name)) }
        parts.show(BareJID.ally.at("b"), "away")
        #expect(parts.resources(.ally) == ["a", "b", "c"] && parts.presence?.count == 3)
        parts.receive(.unavailable, BareJID.ally.at("b"))
        parts.receive(.unavailable, BareJID.ally.at("b"))
        parts.receive(.unavailable, BareJID.ally.at("unknown"))
        #expect(parts.resources(.ally) == ["a", "c"])
        parts.receive(.unavailable, BareJID.ally.at("a"))
        #expect(parts.resources(.ally) == ["c"])
        parts.show(BareJID.ally.at("d"))
        parts.receive(.unavailable, JID(.ally))
        parts.receive(.unavailable, JID(.ally))
        #expect(parts.resources(.ally) == [] && parts.presence?.isAvailable(.ally) == false)
        #expect(parts.presence?.count == 0 && parts.presence?.available == [])
        let words = parts.events.map { event in
            switch event {
            case .available(let jid, _, let isNew): (isNew ? "+" : "=") + (jid.resource ?? "")
            case .unavailable(let jid): "-" + (jid.resource ?? "")
            case .gone: "gone"
            case .moved: "moved"
            case .cleared: "cleared"
            }
        }
        #expect(words == ["+a", "+b", "+c", "=b", "-b", "-a", "+d", "gone"])
    }

    @Test("the primary resource has the highest priority that is not negative, then is the readiest, then the newest")
    func primary() {
        let parts = PresenceParts()
        func primary() -> String? { parts.presence?.primary(of: .ally)?.resource }
        parts.show(BareJID.ally.at("quiet"), "chat", priority: "-1")
        #expect(primary() == nil && parts.presence?.show(of: .ally) == .chat)
        #expect(parts.presence?.best(of: .ally)?.priority == -1)
        parts.show(BareJID.ally.at("low"), "dnd")
        #expect(primary() == "low" && parts.presence?.show(of: .ally) == .doNotDisturb)
        parts.show(BareJID.ally.at("ready"), "away")
        #expect(primary() == "ready")
        parts.now = Timestamp(milliseconds: parts.now.milliseconds + 5000)
        parts.show(BareJID.ally.at("newer"), "away")
        #expect(primary() == "newer")
        parts.show(BareJID.ally.at("high"), "xa", priority: "10")
        #expect(primary() == "high" && parts.presence?.show(of: .ally) == .extendedAway)
        parts.receive(.unavailable, BareJID.ally.at("high"))
        #expect(primary() == "newer")
    }

    @Test("the account's other resources are known, and its own is none of them")
    func own() {
        let parts = PresenceParts()
        parts.show(BareJID.bot.at("phone"), "away")
        #expect(parts.presence?.ownResources.map(\.resource) == ["phone"])
        parts.receive(.unavailable, BareJID.bot.at("phone"))
        #expect(parts.presence?.ownResources.isEmpty == true)
    }

    @Test("strangers are passed over, but for those with whom there is a conversation (RFC 6121 section 4.2.4)")
    func strangers() {
        let parts = PresenceParts()
        parts.show(BareJID.ghost.at("x"))
        #expect(parts.events.isEmpty)
        parts.presence?.converse(with: .ghost)
        parts.show(BareJID.ghost.at("x"))
        #expect(parts.resources(.ghost) == ["x"])
        parts.presence?.endConversation(with: .ghost)
        #expect(parts.resources(.ghost) == [] && parts.events.last == .gone(.ghost))
        for number in 0...PresenceModule.strangerLimit {
            parts.presence?.converse(with: .of("s\(number)"))
            parts.show(BareJID.of("s\(number)").at("x"))
        }
        #expect(parts.presence?.count == PresenceModule.strangerLimit && parts.resources(.of("s0")) == [])
    }

    @Test("of one contact so many resources are kept, and the one silent for longest gives way")
    func many() {
        let parts = PresenceParts()
        for number in 0..<PresenceModule.limitOfOne + 10 {
            parts.now = Timestamp(milliseconds: parts.now.milliseconds + 1000)
            parts.show(BareJID.ally.at("r\(number)"))
        }
        #expect(parts.presence?.count == PresenceModule.limitOfOne)
        #expect(parts.resources(.ally).first == "r10")
    }

    @Test("an error is no end of a subscription: a resource of it is gone, and nothing else (RFC 6121 section 4.3)")
    func errors() {
        let parts = PresenceParts()
        parts.show(BareJID.ally.at("a"))
        parts.show(BareJID.ally.at("b"))
        parts.receive(.error, BareJID.ally.at("a"))
        parts.receive(.error, JID(.of("asked")))
        #expect(parts.resources(.ally) == ["b"] && parts.events.last == .unavailable(BareJID.ally.at("a")))
        #expect(parts.roster.items[.ally]?.subscription == .both)
    }

    @Test(
        "that a contact is gone or elsewhere is told once a session, with the address where there is one (RFC 6121 4.3.2)",
        arguments: ["gone", "redirect", "remote-server-not-found"])
    func elsewhere(condition: String) {
        let parts = PresenceParts()
        func fail(_ from: JID, _ text: String) {
            let name = Element(condition, namespace: Namespace.stanzaErrors, children: [.text(text)])
            let error = Element(
                "error", namespace: Namespace.client, attributes: [.init("type", "cancel")], children: [.element(name)])
            parts.receive(.error, from, [error])
        }
        parts.show(BareJID.ally.at("a"))
        fail(BareJID.ally.at("a"), "xmpp:new@example.net?x")
        fail(JID(.ally), "xmpp:other@example.net")
        fail(JID(.of("fan")), "mailto:fan@example.net")
        fail(JID(.ghost), "xmpp:new@example.net")
        let told = parts.events.filter { if case .moved = $0 { true } else { false } }
        let expected: [PresenceEvent] = [.moved(.ally, to: .new), .moved(.of("fan"), to: nil)]
        #expect(told == (condition == "remote-server-not-found" ? [] : expected))
        #expect(parts.roster.items[.ally]?.subscription == .both && parts.resources(.ally).isEmpty)
    }

    @Test("presences about subscriptions make nobody appear (XMPPFramework)")
    func noPhantoms() {
        let parts = PresenceParts()
        for type in [PresenceType.subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .other("x")] {
            parts.receive(type, JID(.ally))
            parts.receive(type, BareJID.ally.at("x"))
        }
        #expect(parts.events.isEmpty && parts.presence?.count == 0)
    }

    @Test("what was kept of a session that goes on is there, and a new one begins with nobody")
    func restored() {
        let parts = PresenceParts()
        parts.presence?.restored([BareJID.ally.at("a"), BareJID.ally.at("b"), BareJID.of("fan").at("c")])
        #expect(Set(parts.presence?.available ?? []).count == 3 && parts.events.isEmpty)
        parts.presence?.clear()
        parts.presence?.clear()
        #expect(parts.presence?.count == 0 && parts.events == [.cleared])
        parts.presence?.restored([(BareJID.ally.at("a"), ResourcePresence(show: .away))])
        #expect(parts.presence?.show(of: .ally) == .away)
    }

    @Test("a load that lacks a contact makes its resources go")
    func gone() {
        let parts = PresenceParts()
        parts.show(BareJID.ally.at("a"))
        parts.roster.loaded(RosterXML.query([]))
        #expect(parts.resources(.ally) == [] && parts.events.last == .gone(.ally))
    }

    @Test("a gateway is there by its bare address")
    func gateway() {
        let parts = PresenceParts()
        parts.show(JID(.ally), "away")
        #expect(parts.resources(.ally) == ["-"] && parts.presence?.show(of: .ally) == .away)
        parts.receive(.unavailable, JID(.ally))
        #expect(parts.presence?.isAvailable(.ally) == false)
    }

    @Test("a random walk leaves what a dictionary has, and a contact takes well below 200 bytes")
    func walk() {
        var random = SplitMix(seed: 4)
        var (table, model) = (PresenceTable(), [JID: ResourcePresence]())
        for _ in 0..<20_000 {
            let jid = BareJID.of("u\(Int.random(in: 0..<50, using: &random))")
                .at("r\(Int.random(in: 0..<4, using: &random))")
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                #expect(table.remove(jid) == (model.removeValue(forKey: jid) != nil))
            case 1:
                let removed = model.keys.filter { $0.bare == jid.bare }
                #expect(table.removeAll(of: jid.bare) == removed.count)
                for key in removed { model[key] = nil }
            default:
                let presence = ResourcePresence(priority: Int8.random(in: -2...2, using: &random), show: .away)
                #expect(table.set(jid, presence) == (model.updateValue(presence, forKey: jid) == nil))
            }
        }
        #expect(table.count == model.count && Set(table.all) == Set(model.keys))
        #expect(table.people == Set(model.keys.map(\.bare)).count)
        for (jid, presence) in model {
            #expect(table.resources(of: jid.bare).first { $0.resource == jid.resource }?.presence == presence)
        }
        #expect(PresenceTable.bytesOfOne <= 80)
    }
}
