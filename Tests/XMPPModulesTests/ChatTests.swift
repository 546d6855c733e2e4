import Testing
import XMPPCore
import XMPPModules

/// Receipts, replies and the commands of chat.
@Suite struct ChatTests {
    private func message(_ attributes: String, _ inner: String) throws -> Message {
        try #require(Message(xml("<message \(attributes)>\(inner)</message>")))
    }

    @Test(
        "a receipt answers what asks for one and is a message of its own, and nothing else (XEP-0184)",
        arguments: [
            ("id='1' type='chat'", "<body>x</body>", true), ("id='1'", "<body>x</body>", true),
            ("id='1' type='groupchat'", "<body>x</body>", false), ("id='1' type='error'", "<body>x</body>", false),
            ("type='chat'", "<body>x</body>", false), ("id='' type='chat'", "<body>x</body>", false),
            ("id='1' type='chat'", "", false),
            ("id='1' type='chat'", "<body>x</body><received xmlns='urn:xmpp:receipts' id='0'/>", false),
        ])
    func receipts(attributes: String, inner: String, isAnswered: Bool) throws {
        let asking = try message(
            "from='ann@example.org/phone' \(attributes)", inner + "<request xmlns='urn:xmpp:receipts'/>")
        let receipt = ReceiptPayload.receipt(for: asking)
        #expect((receipt != nil) == isAnswered)
        guard let receipt else { return }
        #expect(receipt.to?.description == "ann@example.org/phone" && receipt.type == asking.type)
        #expect(ReceiptPayload.confirmed(by: receipt) == "1")
        // Two that answer each other fall quiet.
        #expect(ReceiptPayload.receipt(for: receipt) == nil && receipt.body == nil)
        #expect(try ReceiptPayload.receipt(for: message("from='ann@example.org/x' \(attributes)", inner)) == nil)
    }

    @Test("what became of a message only its receiver can say, once")
    func delivered() throws {
        var events: [ReceiptsModule.Event] = []
        let module = ReceiptsModule(mayKnow: { _ in true }) { events.append($0) }
        let asking = module.asking(Message(to: JID(.ann), id: "a", body: "x"), id: "a")
        #expect(asking.element.first("request", Namespace.receipts) != nil)
        let received = "<received xmlns='urn:xmpp:receipts' id='a'/>"
        module.received(message: try message("from='eve@example.net/x'", received))
        #expect(events.isEmpty)
        for _ in 0..<2 { module.received(message: try message("from='ann@example.org/phone'", received)) }
        #expect(events == [.delivered(id: "a", at: try .of(.ann, "phone"))])
        _ = module.asking(Message(to: JID(.ann), id: "b", body: "x"), id: "b")
        module.received(
            message: try message(
                "from='ann@example.org' id='b' type='error'",
                "<error type='cancel'><gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"))
        #expect(events.last == .failed(id: "b", at: JID(.ann), StanzaError(.gone)))
        // In a room nobody asks.
        let room = Message(.groupchat, to: JID(.room), body: "x")
        #expect(module.asking(room, id: "c") == room)
        for number in 0..<ReceiptsModule.limit { _ = module.asking(Message(to: JID(.ann)), id: "n\(number)") }
        module.received(
            message: try message("from='ann@example.org/x'", "<received xmlns='urn:xmpp:receipts' id='n0'/>"))
        #expect(events.last == .delivered(id: "n0", at: try .of(.ann, "x")))
    }

    @Test("a reply names what it answers, quotes it for others, and is read without the quotation")
    func replies() throws {
        let reference = ReplyReference(id: "7", to: try .of(.ann, "phone"))
        let made = ReplyPayload.make(reference, quoting: "Où?\nÇa 👩🏽‍🚀", "Là.")
        #expect(made.body == "> Où?\n> Ça 👩🏽‍🚀\nLà.")
        let message = Message(to: JID(.ann), body: made.body, children: made.children)
        let read = try #require(Message(message.element))
        #expect(ReplyPayload.reply(in: read) == reference && ReplyPayload.text(of: read) == "Là.")
        #expect(ReplyPayload.make(reference, "x").body == "x" && ReplyPayload.make(reference, "x").children.count == 1)
    }

    @Test(
        "bounds of a quotation that are none cut nothing",
        arguments: [
            ("start='0' end='2'", "cd"), ("start='2'", "ab"), ("end='1'", "bcd"), ("", ""),
            ("start='-1' end='2'", "abcd"),
            ("start='3' end='2'", "abcd"), ("start='0' end='5'", "abcd"), ("start='x' end='2'", "abcd"),
            ("start='0' end='99999999999999999999'", "abcd"),
        ])
    func cuts(bounds: String, text: String) throws {
        let fallback = "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body \(bounds)/></fallback>"
        #expect(try ReplyPayload.text(of: message("", "<body>abcd</body>\(fallback)")) == text)
        let other = fallback.replacing("urn:xmpp:reply:0", with: "urn:x")
        #expect(try ReplyPayload.text(of: message("", "<body>abcd</body>\(other)")) == "abcd")
    }

    @Test("a table of commands reads them, helps with those that one may use, and leaves other texts alone")
    func commands() {
        let table = ChatCommands([
            .init("count", help: "says how many"),
            .init("reset", arguments: "[N]", help: "begins anew", mayUse: { $0 == .ann }),
        ])
        #expect(table.read("/count", from: .eve) == .command("count", arguments: []))
        #expect(table.read("  /RESET 3  now\n", from: .ann) == .command("reset", arguments: ["3", "now"]))
        let refusal = ChatCommands.Reading.answer("I do not know /reset. /help lists what I know.")
        #expect(table.read("/reset", from: .eve) == refusal)
        #expect(table.read("/help", from: .eve) == .answer("What I know:\n/count – says how many\n/help – lists this"))
        #expect(
            table.help(for: .ann)
                == "What I know:\n/count – says how many\n/reset [N] – begins anew\n/help – lists this")
        for text in ["hello", "", "/", "/ count", "/etc/passwd", "/" + String(repeating: "a", count: 100), "//"] {
            #expect(table.read(text, from: .ann) == .text, "\(text)")
        }
    }
}
