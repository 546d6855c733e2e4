import Testing
import XMPPCore
import XMPPTestKit

/// What the server does about a resource that is taken (RFC 6120 section 7.7.2.2).
@Suite struct ResourceConflictTests {
    private func conflict(
        _ kind: ServerBehaviour.ResourceConflict, _ resource: String,
        _ body: (_ first: RawClient, _ answer: Element) async throws -> Void
    ) async throws {
        var behaviour = ServerBehaviour()
        behaviour.resourceConflict = kind
        try await withServer(behaviour) { server, first in
            _ = try await first.bound(resource: "r")
            let second = RawClient(server)
            _ = try await second.bound(resource: resource)
            let answer = try #require(second.heard.all.last { $0[attribute: "id"] == "b" })
            try await body(first, answer)
        }
    }

    private func jid(_ answer: Element) -> String? {
        answer.first("bind", Namespace.bind)?.first("jid", Namespace.bind)?.text
    }

    @Test("the session that has it is thrown out, or whichever there is", arguments: [true, false])
    func throwsOut(onlyOne: Bool) async throws {
        try await conflict(onlyOne ? .allowsOne : .replacesOld, onlyOne ? "s" : "r") { first, answer in
            #expect(jid(answer) == "bot@example.org/\(onlyOne ? "s" : "r")")
            let error = try await first.next("error")
            #expect(error.elements.map(\.name) == ["conflict"])
        }
    }

    @Test("who asks for it is refused, or gets another one, and the session that has it stays")
    func keeps() async throws {
        try await conflict(.refusesNew, "r") { first, answer in
            #expect(IQ(answer)?.error?.condition == .conflict)
            #expect(!first.heard.all.contains { $0.name == "error" })
        }
        try await conflict(.renamesNew, "r") { first, answer in
            #expect(jid(answer) == "bot@example.org/r-2")
            #expect(!first.heard.all.contains { $0.name == "error" })
        }
    }

    @Test(
        "whoever asks for another resource disturbs nobody",
        arguments: [
            ServerBehaviour.ResourceConflict.replacesOld, .refusesNew, .renamesNew,
        ])
    func others(kind: ServerBehaviour.ResourceConflict) async throws {
        try await conflict(kind, "s") { first, answer in
            #expect(jid(answer) == "bot@example.org/s")
            #expect(!first.heard.all.contains { $0.name == "error" })
        }
    }
}
