import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Whatever others send, nothing of it stops the program, and nothing grows over its bound.
@Suite struct HostileInputTests {
    /// Elements of the words that the modules know.
    private func makeWeaver(_ seed: UInt64) -> ElementWeaver {
        ElementWeaver(
            names: [
                "x", "field", "value", "option", "item", "reported", "query", "identity", "feature", "c", "hash",
                "command",
                "actions", "next", "prev", "note", "status", "destroy", "occupant-id", "stanza-id", "fallback", "body",
                "reply",
                "received", "request", "error", "subject", "conflict", "not-acceptable",
            ],
            namespaces: [
                Namespace.client, Namespace.dataForms, Namespace.discoInfo, Namespace.discoItems, Namespace.caps,
                Namespace.caps2, Namespace.hashes, Namespace.commands, Namespace.muc, Namespace.mucUser,
                Namespace.receipts,
                Namespace.reply, Namespace.fallback, Namespace.stanzaIDs, Namespace.stanzaErrors,
                "urn:xmpp:occupant-id:0",
            ],
            attributes: [
                "type", "var", "node", "ver", "hash", "algo", "category", "name", "sessionid", "action", "status",
                "execute",
                "code", "nick", "jid", "role", "affiliation", "id", "by", "for", "start", "end", "to",
            ],
            values: [
                "", "form", "submit", "result", "boolean", "hidden", "FORM_TYPE", "sha-1", "sha-256",
                "QgayPKawpkPSDYmwT/WM94uAlu0=", "executing", "next", "110", "303", "-1", "9223372036854775808", "0",
                "3",
                "a@b/c", "@", "\u{0}", "\u{1F}", "🏽‍🚀", "x<y", "den@rooms.example.org/Bot", "urn:xmpp:reply:0",
                String(repeating: "n", count: 2_000),
            ],
            chance: SplitMix(seed: seed))
    }

    @Test("payloads of chance are read or not read", arguments: [1, 2, 3, 4] as [UInt64])
    func payloads(seed: UInt64) throws {
        var weaver = makeWeaver(seed)
        for _ in 0..<300 {
            var element = weaver.element(4)
            element.name = weaver.pick(["x", "query", "command", "presence", "message"])
            if let form = DataForm(element) {
                #expect(form.fields.count <= DataForm.fieldLimit)
                _ = try? form.filled(in: form)
                _ = try? form.filled(in: DataForm(.submit, fields: form.fields.reversed()))
            }
            if let info = DiscoPayload.info(in: element) {
                _ = (CapsHash(.first, .sha1, of: info), CapsHash(.second, .sha256, of: info))
            }
            _ = (DiscoPayload.items(in: element), CapsPayload.announcement(in: element))
            _ = (CommandRequest(element), CommandResponse(element))
            element.namespace = Namespace.client
            element.name = "message"
            if let message = Message(element) {
                _ = (
                    ReplyPayload.reply(in: message), ReplyPayload.text(of: message),
                    ReceiptPayload.receipt(for: message)
                )
            }
        }
    }

    @Test("a room of chance leaves the machine in order", arguments: [5, 6, 7, 8] as [UInt64])
    func rooms(seed: UInt64) throws {
        var weaver = makeWeaver(seed)
        var room = Room(RoomSettings(.room, nickname: "Bot"))
        _ = room.enter()
        for _ in 0..<300 {
            var element = weaver.element(3)
            element.namespace = Namespace.client
            element[attribute: "from"] = "den@rooms.example.org" + weaver.pick(["", "/Bot", "/Ann", "/Eve", "/Bot_"])
            let type = weaver.pick([nil, "unavailable", "error", "groupchat", "chat"])
            element[attribute: "type"] = type
            let isPresence = weaver.pick([true, false])
            element.name = isPresence ? "presence" : "message"
            let actions =
                isPresence
                ? Presence(element).map { room.received($0) } : Message(element).map { room.received($0) }
            for case .send(let stanza) in actions ?? [] {
                #expect(stanza[attribute: "to"]?.hasPrefix("den@rooms.example.org/") == true)
            }
            if weaver.pick([true, false, false]) { _ = room.timePassed() }
            if room.state == .outside {
                #expect(room.occupants.isEmpty)
                _ = room.enter()
            }
        }
    }
}
