import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

@Suite("Messages of a module")
struct ModuleMessageTests {
    private let phone: JID

    init() throws { phone = try .of(.ann, "phone") }

    private func withBot(_ body: (ModuleBench, EventRecorder<String>) async throws -> Void) async throws {
        let settings = AllRounder.Settings()
        let ann = ServerRosterItem(.ann, subscription: "both")
        let bench = try await ModuleBench(AllRounder.self, settings: settings, contacts: [ann])
        try await body(bench, settings.heard)
        await bench.end()
    }

    @Test("whoever asks for a receipt gets one where he may know of the account (XEP-0184)")
    func receipts() async throws {
        try await withBot { bench, _ in
            let asking = Message(to: JID(.bot), id: "m1", body: "hello", children: [ReceiptPayload.request()])
            await bench.hear(asking, from: phone)
            let receipt = try #require(bench.said.first)
            #expect(ReceiptPayload.confirmed(by: receipt) == "m1" && receipt.to == phone && receipt.body == nil)
            await bench.hear(asking, from: try .of(.eve, "x"))
            #expect(bench.said.count == 1)
        }
    }

    @Test("what asked for a receipt is told of when it arrives or comes back; nothing else of them is")
    func confirmed() async throws {
        try await withBot { bench, heard in
            for isError in [false, true] {
                await bench.hear("ask", from: phone)
                let said = try #require(bench.said.last)
                let id = try #require(said.id)
                #expect(said.body == "asked" && said.element.first("request", "urn:xmpp:receipts") != nil)
                #expect(heard.all.last == "asked \(id)")
                if isError {
                    let condition = Element("gone", namespace: Namespace.stanzaErrors)
                    let error = Element(
                        "error", namespace: Namespace.client, attributes: [.init("type", "cancel")],
                        children: [.element(condition)])
                    await bench.hear(Message(.error, to: JID(.bot), id: id, children: [error]), from: phone)
                } else {
                    let receipt = Message(to: JID(.bot), children: [ReceiptPayload.received(id)])
                    await bench.hear(receipt, from: try .of(.eve, "x"))
                    await bench.hear(receipt, from: phone)
                }
                let receipts = heard.all.filter { $0.hasPrefix("receipt \(id)") }
                #expect(receipts == ["receipt \(id) \(phone) \(isError ? "gone" : "arrived")"])
            }
        }
    }

    @Test("no message has a chat state (XEP-0085), and one that has nothing else is no words")
    func chatStates() async throws {
        try await withBot { bench, heard in
            let composing = Element("composing", namespace: "http://jabber.org/protocol/chatstates")
            await bench.hear(Message(to: JID(.bot), children: [composing]), from: phone)
            await bench.hear("/help", from: phone)
            await bench.hear("ask", from: phone)
            #expect(heard.all.first == "message ")
            #expect(bench.said.count == 2)
            for message in bench.said {
                #expect(!message.element.elements.contains { $0.namespace.contains("chatstates") })
            }
        }
    }

    @Test("a module knows its contacts' resources, the one to talk to first, with since when they are idle (XEP-0319)")
    func resources() async throws {
        try await withBot { bench, heard in
            for (resource, inner) in [
                ("desk", "<priority>1</priority>"),
                ("phone", "<priority>5</priority><idle xmlns='urn:xmpp:idle:1' since='2025-12-31T23:00:00Z'/>"),
            ] {
                await bench.server.send("<presence from='\(BareJID.ann)/\(resource)'>\(inner)</presence>", to: .bot)
            }
            await bench.hear("who", from: phone)
            #expect(heard.all.last == "phone 1767222000000, desk 0")
        }
    }

    @Test("a goodbye that does not come is waited for five seconds, and no longer")
    func lateGoodbye() async throws {
        let gate = Gate()
        var settings = AllRounder.Settings(farewell: "bye")
        settings.gate = gate
        let ann = ServerRosterItem(.ann, subscription: "both")
        let bench = try await ModuleBench(AllRounder.self, settings: settings, contacts: [ann])
        let ended = EventRecorder<Bool>()
        let ending = Task {
            await bench.end()
            ended.record(true)
        }
        await gate.reached()
        #expect(await bench.client.address != nil)
        bench.time.advance(by: .seconds(5))
        _ = try await ended.next { $0 }
        #expect(bench.said.isEmpty)
        await gate.open()
        await ending.value
    }
}
