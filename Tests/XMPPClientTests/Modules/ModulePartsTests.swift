import Testing
import XMPPCore

@testable import XMPPClient

@Suite("What modules are given")
struct ModulePartsTests {
    @Test("a limit lets so many answers through in a span, for each by himself")
    func limit() throws {
        let limit = AnswerLimit(2, in: .seconds(10))
        let (ann, bob) = (try BareJID("ann@example.net"), try BareJID("bob@example.net"))
        #expect([0, 1, 2].map { limit.allows(ann, at: .seconds($0)) } == [true, true, false])
        #expect(limit.allows(bob, at: .seconds(3)))
        #expect(limit.allows(ann, at: .seconds(10)))
        #expect(!AnswerLimit(0).allows(ann, at: .zero))
    }

    @Test("a limit keeps 10,000 people in mind, and answers nobody else as long as all of them are fresh")
    func people() throws {
        let limit = AnswerLimit(1, in: .seconds(10))
        for number in 0..<AnswerLimit.people {
            #expect(limit.allows(BareJID(preparedLocal: "p\(number)", preparedDomain: "example.net"), at: .zero))
        }
        let late = try BareJID("late@example.net")
        #expect(!limit.allows(late, at: .seconds(9)))
        #expect(limit.allows(late, at: .seconds(10)))
    }

    @Test("an answer goes to the sender, in the thread, and names what it answers; errors are not answered")
    func reply() throws {
        let sender = try JID("ann@example.net/phone")
        var message = Message(
            to: try JID("bot@example.org"), id: "m1", body: "hi",
            children: [Element("thread", namespace: Namespace.client, children: [.text("t1")])])
        message.from = sender
        let reply = try #require(Message(replyTo: message, body: "hello", id: "r1"))
        #expect(reply.to == sender)
        #expect(reply.type == .chat)
        #expect(reply.element.first("thread", Namespace.client)?.text == "t1")
        let mark = try #require(reply.element.first("reply", "urn:xmpp:reply:0"))
        #expect(mark[attribute: "id"] == "m1")
        #expect(mark[attribute: "to"] == sender.description)
        #expect(reply.isReply)
        #expect(!message.isReply)
        message = Message(.error, to: try JID("bot@example.org"), body: "hi")
        message.from = sender
        #expect(Message(replyTo: message, body: "hello") == nil)
        #expect(Message(replyTo: Message(to: sender, body: "hi"), body: "hello") == nil)
    }

    @Test("an answer in a room goes to the room, and names the id that the room gave, not one that anybody wrote")
    func room() throws {
        func heard(by room: String) throws -> Message {
            var message = Message(
                .groupchat, to: try JID("bot@example.org"), id: "m1", body: "hi",
                children: [
                    Element(
                        "stanza-id", namespace: "urn:xmpp:sid:0", attributes: [.init("by", room), .init("id", "s1")])
                ])
            message.from = try JID("room@chat.example.net/ann")
            return message
        }
        let reply = try #require(Message(replyTo: heard(by: "room@chat.example.net"), body: "hello"))
        #expect(reply.to == (try JID("room@chat.example.net")))
        #expect(reply.element.first("reply", "urn:xmpp:reply:0")?[attribute: "id"] == "s1")
        let forged = try #require(Message(replyTo: heard(by: "eve@example.net"), body: "hello"))
        #expect(!forged.isReply)
    }

    @Test("what is kept comes back as it was; what does not fit is refused, and nothing gives way")
    func storage() async throws {
        struct Note: Codable, Hashable {
            var text: String
            var count: Int
        }
        let storage = ModuleStorage(backend: MemoryModuleStorage())
        try await storage.set(Note(text: "ä", count: 3), for: "note")
        #expect(try await storage.value(Note.self, for: "note") == Note(text: "ä", count: 3))
        try await storage.set([1, 0, 255] as [UInt8], for: "bytes")
        #expect(try await storage.bytes(for: "bytes") == [1, 0, 255])
        #expect(try await storage.keys() == ["bytes", "note"])
        await #expect { try await storage.value(Int.self, for: "note") } throws: {
            ($0 as? ModuleStorageError)?.code == .undecodable
        }
        for key in ["", String(repeating: "k", count: 2_561)] {
            await #expect { try await storage.bytes(for: key) } throws: { ($0 as? ModuleStorageError)?.code == .badKey }
        }
        let large = [UInt8](repeating: 0, count: ModuleStorage.valueLimit)
        await #expect { try await storage.set(large + [0], for: "large") } throws: {
            ($0 as? ModuleStorageError)?.code == .tooLarge
        }
        for number in 0..<63 { try await storage.set(large, for: "large \(number)") }
        await #expect { try await storage.set(large, for: "one more") } throws: {
            ($0 as? ModuleStorageError)?.code == .full
        }
        // In the place of another there is room.
        try await storage.set(large, for: "large 0")
        try await storage.remove("note")
        #expect(try await storage.bytes(for: "note") == nil)
    }

    @Test("an error is logged by words that its author chose, or by its type: what Swift makes may show bodies")
    func words() {
        enum Careless: Error { case said(String) }
        struct Careful: Error, CustomStringConvertible { let description = "the forecast is gone" }
        #expect(HostedModule.words(of: Careless.said("secret")) == "Careless")
        #expect(HostedModule.words(of: Careful()) == "Careful: the forecast is gone")
    }

    @Test("an event is known again by who is behind it and what he wrote, whatever ids and stamps it has")
    func digest() throws {
        func event(_ body: String, id: String, from: String = "ann@example.net/phone", _ more: [Element] = []) throws
            -> ModuleEvent
        {
            var message = Message(to: try JID("bot@example.org"), id: id, body: body, children: more)
            message.from = try JID(from)
            return .message(message, from: nil)
        }
        let first = try event("boom", id: "1").digest
        let delay = Element("delay", namespace: "urn:xmpp:delay", attributes: [.init("stamp", "2026-01-01T00:00:00Z")])
        #expect(try event("boom", id: "2", from: "ann@example.net/laptop", [delay]).digest == first)
        #expect(try event("bang", id: "1").digest != first)
        #expect(try event("boom", id: "1", from: "eve@example.net/x").digest != first)
        #expect(ModuleEvent.offline.digest != first)
    }
}
