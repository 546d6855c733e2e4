import Testing
import XMPPCore

@testable import XMPPTestKit

/// Answers that come in another order than they were asked for, and more than once.
@Suite struct DisorderTests {
    private static let requests = ["x", "y", "z"].map { id in
        "<iq type='get' id='\(id)'><query xmlns='\(Namespace.roster)'/></iq>"
    }

    /// The ids of the answers to three requests, in the order in which they came.
    private func answers(_ answers: ServerBehaviour.Answers, inOneRead: Bool = true) async throws -> [String] {
        var ids: [String] = []
        var behaviour = ServerBehaviour()
        behaviour.answers = answers
        try await withServer(behaviour) { server, client in
            _ = try await client.bound()
            if inOneRead {
                await client.send(Self.requests.joined())
            } else {
                for request in Self.requests { await client.send(request) }
            }
            _ = try await server.received.next { $0.element[attribute: "id"] == "z" }
            await server.send("<message id='end'/>", to: .bot)
            _ = try await client.heard.next { $0[attribute: "id"] == "end" }
            ids = client.heard.all.compactMap { $0[attribute: "id"] }.filter { ["x", "y", "z"].contains($0) }
        }
        return ids
    }

    @Test("the numbers 0 to 5 are all orders of three answers, and every other number is one of them")
    func permutations() {
        let orders = (0..<6).map { ServerBehaviour.Answers(order: .permutation($0)).arranged([1, 2, 3]) }
        #expect(Set(orders).count == 6)
        #expect(orders.first == [1, 2, 3])
        for number in [6, 7, 720, -1, .max, .min] {
            #expect(orders.contains(ServerBehaviour.Answers(order: .permutation(number)).arranged([1, 2, 3])))
        }
        #expect(ServerBehaviour.Answers(order: .permutation(5)).arranged([Int]()).isEmpty)
        #expect(ServerBehaviour.Answers(copies: 0).arranged([1]) == [1])
    }

    @Test("the answers to what came in one read are sent in the order that is wanted, as often as is wanted")
    func oneRead() async throws {
        #expect(try await answers(.init()) == ["x", "y", "z"])
        #expect(try await answers(.init(order: .reversed)) == ["z", "y", "x"])
        #expect(try await answers(.init(copies: 2)) == ["x", "x", "y", "y", "z", "z"])
        #expect(try await answers(.init(order: .reversed, copies: 2)) == ["z", "z", "y", "y", "x", "x"])
    }

    @Test("answers are held over several reads until there are as many as are wanted")
    func held() async throws {
        #expect(try await answers(.init(held: 3, order: .reversed), inOneRead: false) == ["z", "y", "x"])
        #expect(try await answers(.init(held: 3), inOneRead: false) == ["x", "y", "z"])
        #expect(try await answers(.init(held: 2, order: .reversed), inOneRead: false) == ["y", "x"])
        #expect(try await answers(.init(held: 4, order: .reversed), inOneRead: false) == [])
    }
}
