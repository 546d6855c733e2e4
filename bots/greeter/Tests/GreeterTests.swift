import Foundation
import GreeterBot
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@Suite("The greeter")
struct GreeterTests {
    private let ann: BareJID
    private let phone: JID

    init() throws {
        ann = try BareJID("ann@example.net")
        phone = try JID("ann@example.net/phone")
    }

    private func withGreeter(
        welcome: String = "Hello {name}", name: String? = nil, memory: ModuleBench.ModuleMemory = .init(),
        _ body: (ModuleBench) async throws -> Void
    ) async throws {
        let bench = try await ModuleBench(
            Greeter.self, settings: GreeterSettings(welcome: welcome),
            contacts: [ServerRosterItem(ann, subscription: "both", name: name)], memory: memory)
        try await body(bench)
        #expect(await bench.figures.errors == 0)
        await bench.end()
    }

    @Test("welcomes whoever was accepted by the name that the roster has, else by the nickname, else by the address")
    func names() async throws {
        for (name, nickname, expected) in [("Ann B.", "annie", "Ann B."), (nil, "annie", "annie"), (nil, nil, "ann")] {
            try await withGreeter(name: name) { bench in
                await bench.happen(.decision(ModuleDecision(contact: ann, isAccepted: true, nickname: nickname)))
                #expect(bench.said.map(\.body) == ["Hello \(expected)"])
                #expect(bench.said.first?.to == JID(ann))
            }
        }
    }

    @Test("welcomes nobody twice, also after a restart, and counts")
    func once() async throws {
        let memory = ModuleBench.ModuleMemory()
        for _ in 0..<2 {
            try await withGreeter(memory: memory) { bench in
                await bench.happen(.decision(ModuleDecision(contact: ann, isAccepted: true)))
                await bench.happen(.decision(ModuleDecision(contact: ann, isAccepted: true)))
                await bench.hear("/count", from: phone)
                #expect(bench.said.last?.body == "I have welcomed one contact.")
            }
        }
        try await withGreeter(memory: memory) { bench in
            await bench.happen(.decision(ModuleDecision(contact: ann, isAccepted: true)))
            #expect(bench.said.isEmpty)
        }
    }

    @Test("says nothing to whoever was refused")
    func refused() async throws {
        try await withGreeter { bench in
            await bench.happen(.decision(ModuleDecision(contact: ann, isAccepted: false)))
            #expect(bench.said.isEmpty)
        }
    }

    @Test("answers commands of contacts, in any case, and no other words")
    func commands() async throws {
        try await withGreeter { bench in
            await bench.hear("hello", from: phone)
            #expect(bench.said.isEmpty)
            await bench.hear("/HELP me", from: phone)
            #expect(bench.said.last?.body == "What I know:\n/count – says how many I have welcomed\n/help – lists this")
            await bench.hear("/dance", from: phone)
            #expect(bench.said.last?.body == "I do not know /dance. /help lists what I know.")
            let count = bench.said.count
            await bench.hear("/help", from: try JID("eve@example.net/x"))
            #expect(bench.said.count == count)
        }
    }

    @Test("answers nobody more than twenty times a minute")
    func limit() async throws {
        try await withGreeter { bench in
            for _ in 0..<25 { await bench.hear("/help", from: phone) }
            #expect(bench.said.count == 20)
            await bench.pass(.seconds(61))
            await bench.hear("/help", from: phone)
            #expect(bench.said.count == 21)
        }
    }

    @Test(
        "takes no welcome that is empty, too long or names what is not filled in", arguments: ["", "Hi {nam}", "Hi {}"])
    func settings(welcome: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(GreeterSettings.self, from: Data(#"{"welcome":"\#(welcome)"}"#.utf8))
        }
        #expect(throws: Never.self) {
            try JSONDecoder().decode(GreeterSettings.self, from: Data(#"{"welcome":"Hi {name} :-{ }"}"#.utf8))
        }
    }
}
