import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@testable import EchoBot

@Suite("The echo")
struct EchoTests {
    private let ann: BareJID
    private let phone: JID

    init() throws {
        ann = try BareJID("ann@example.net")
        phone = try JID("ann@example.net/phone")
    }

    private func bench(
        _ settings: Echo.Settings = Echo.Settings(answersPerMinute: nil), subscription: String = "both"
    ) async throws -> ModuleBench {
        try await ModuleBench(
            Echo.self, settings: settings, contacts: [ServerRosterItem(ann, subscription: subscription)])
    }

    @Test("says back what a contact says, to the client that said it, and says what it answers (XEP-0461)")
    func answers() async throws {
        let bench = try await bench()
        await bench.hear(Message(to: phone, id: "m1", body: "hello"), from: phone)
        let said = try #require(bench.said.first)
        #expect(said.body == "hello")
        #expect(said.to == phone)
        #expect(said.isReply)
        #expect(said.id != nil)
        await bench.end()
    }

    @Test("answers only those who see the account's presence", arguments: ["from", "both", "to", "none"])
    func contacts(subscription: String) async throws {
        let bench = try await bench(subscription: subscription)
        await bench.hear("hello", from: phone)
        await bench.hear("hello", from: try JID("eve@example.net/x"))
        #expect(bench.said.count == (subscription == "from" || subscription == "both" ? 1 : 0))
        await bench.end()
    }

    @Test("answers no error, no headline, no room, nothing without a body, and no answer")
    func others() async throws {
        let bench = try await bench()
        for type in [MessageType.error, .headline, .groupchat, .normal] {
            await bench.hear(Message(type, to: phone, body: "hello"), from: phone)
        }
        await bench.hear(Message(to: phone), from: phone)
        await bench.hear(Message(to: phone, id: "e", body: ""), from: phone)
        let question = try #require(Message(Message(to: phone, id: "q", body: "hello").element))
        var asked = question
        asked.from = phone
        let reply = try #require(Message(replyTo: asked, body: "hello"))
        await bench.hear(reply, from: phone)
        #expect(bench.said.isEmpty)
        await bench.end()
    }

    @Test("two of them fall quiet within ten stanzas, however the first word came")
    func pair() async throws {
        let server = try ScriptedServer()
        let (left, right) = (try BareJID("left@example.org"), try BareJID("right@example.org"))
        let benches = [
            try await ModuleBench(
                Echo.self, settings: Echo.Settings(answersPerMinute: nil), account: left,
                contacts: [ServerRosterItem(right, subscription: "both")], server: server),
            try await ModuleBench(
                Echo.self, settings: Echo.Settings(answersPerMinute: nil), account: right,
                contacts: [ServerRosterItem(left, subscription: "both")], server: server),
        ]
        // Without an id nothing can say what it answers.
        for id in ["m1", nil] {
            let before = benches.map(\.said.count).reduce(0, +)
            await benches[0].hear(
                Message(to: JID(left), id: id, body: "hello"), from: try JID("right@example.org/by-hand"))
            for _ in 0..<20 { for bench in benches { await bench.settle() } }
            #expect(benches.map(\.said.count).reduce(0, +) - before <= 10)
        }
        for bench in benches { await bench.end() }
        server.stop()
    }

    @Test("answers the same one only so often in a minute, which is what two that hide their answers come to")
    func limit() async throws {
        let bench = try await bench(Echo.Settings(answersPerMinute: 3))
        for _ in 0..<10 { await bench.hear("hello", from: phone) }
        #expect(bench.said.count == 3)
        await bench.pass(.seconds(60))
        await bench.hear("hello", from: phone)
        #expect(bench.said.count == 4)
        await bench.end()
    }

    @Test("takes no number of answers below none")
    func settings() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Echo.Settings.self, from: Data(#"{"answers_per_minute":-1}"#.utf8))
        }
    }
}
