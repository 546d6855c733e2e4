import Testing
import XMPPCore
import XMPPCrypto
import XMPPSession

@Suite("Login by token")
struct HashedTokenTests {
    private static let token = Secret("secret-token:fast--OnqWlFrBqnpemZajRhagiFiKG_uqGbQtWcS")

    @Test(
        "a run with Prosody, and one reckoned by Python's hmac",
        arguments: [
            (
                "HT-SHA-256-NONE", [UInt8](), "YWxpY2UAbXT/xGxNN2IXZ9yFe0r0v2RaWCvKDlQPgLNyl9es9ZI=",
                "gkKdwaD9RDS6/1D3yA+BCZo6qYVbDJJ9o6VlD3JyC/k="
            ),
            (
                "HT-SHA-512-EXPR", Array(0...31),
                "YWxpY2UA6XbBk/cC7KzbVNJXAsBsRM8RBa7ew4NcYpUsMVw+3fyXi1o1O9ZyACpZ91nNUjb/UX4JAvPl0/P+bbM/FulCfQ==",
                "EYSScQfB4tLirb7K3nO1eiimvoAfJLiSjPNrZA6Lq+1kelbl8EEuwwRPpS8HTGEy+EfXH3YXCVWNMsxaFnHk4Q=="
            ),
        ]
    )
    func vectors(name: String, binding: [UInt8], initiator: String, responder: String) throws {
        let mechanism = try #require(HashedToken.Mechanism(name))
        let exchange = HashedToken(mechanism, username: "alice", token: Self.token, bindingData: binding)
        #expect(Base64.encode(exchange.initiator()) == initiator)
        let proof = try #require(Base64.decode(responder))
        try exchange.succeeded(with: proof)
        let wrongs: [[UInt8]?] = [
            nil, [], [0], Array(proof.dropLast()), proof + [0], [proof[0] ^ 1] + proof.dropFirst(),
        ]
        for wrong in wrongs {
            #expect(throws: SessionError.tokenNotProved) { try exchange.succeeded(with: wrong) }
        }
    }

    @Test(
        "names are exact",
        arguments: [
            ("HT-SHA-256-NONE", true), ("HT-SHA-256-UNIQ", true), ("HT-SHA-256-ENDP", true), ("HT-SHA-256-EXPR", true),
            ("HT-SHA-512-NONE", true), ("HT-SHA-512-EXPR", true), ("HT-SHA-1-NONE", false), ("HT-SHA-256", false),
            ("ht-sha-256-none", false), ("HT-SHA-256-NONE ", false), ("HT-SHA-256-XXXX", false), ("", false),
            ("SCRAM-SHA-256", false), ("HT-SHA3-512-EXPR", false),
        ]
    )
    func names(name: String, known: Bool) {
        #expect(HashedToken.Mechanism(name)?.name == (known ? name : nil))
    }
}
