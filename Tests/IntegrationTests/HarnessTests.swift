import Testing
import XMPPCore

@Suite("The servers of the tests", .serialized)
struct HarnessTests {
    @Test("A guest asks another, who accepts", arguments: ServerKind.allCases)
    func guests(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        try await server.addUser("harness-ann", at: Hosts.friends, password: "a")
        try await server.addUser("harness-bob", at: Hosts.example, password: "b")
        let ann = try await Guest.login("harness-ann@friends.test", password: "a", to: server)
        let bob = try await Guest.login("harness-bob@example.test", password: "b", to: server)
        ann.ask("harness-bob@example.test", status: "hello")
        let request = try await bob.next("subscribe", from: "harness-ann@friends.test")
        #expect(request.elements.first?.text == "hello")
        bob.presence("subscribed", to: "harness-ann@friends.test")
        try await ann.next("subscribed", from: "harness-bob@example.test")
        #expect(try await ann.roster()["harness-bob@example.test"]?.subscription == "to")
        ann.leave()
        bob.leave()
    }
}
