import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// What a client's proof is made for: another number at each login, that nobody can guess (RFC 5802 section 5.1).
@Suite struct NonceTests {
    /// The nonce in the client's first message of SCRAM.
    private func nonces(_ client: TestedConnection) -> [String] {
        client.server.received.all.compactMap { received in
            let element = received.element
            let coded =
                element.name == "auth" ? element.text : element.first("initial-response", "urn:xmpp:sasl:2")?.text ?? ""
            guard let bytes = Base64.decode(coded) else { return nil }
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
            return parts.first { $0.hasPrefix("r=") }.map { String($0.dropFirst(2)) }
        }
    }

    @Test(
        "no two logins have the same nonce, each is printable, and at least 128 bits of it differ (CVE-2022-48195)",
        arguments: [false, true])
    func fresh(isModern: Bool) async throws {
        let count = 24
        var seen: [String] = []
        for _ in 0..<count / 4 {
            try await withClient(before: { if isModern { await $0.behave { $0 = .modern } } }) { client in
                // Of one process and one account, and without anything kept that would spare the exchange.
                var current = client
                for login in 1...4 {
                    try await current.established()
                    guard login < 4 else { break }
                    let connection = current.connection
                    await current.onLoop { connection.stop() }
                    _ = await current.end
                    current = try await client.another()
                }
                seen += nonces(client)
                await current.finish()
            }
        }
        try #require(seen.count == count)
        #expect(Set(seen).count == count)
        for nonce in seen {
            // RFC 5802 section 7: printable, without a comma.
            #expect(nonce.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C })
        }
        // A place where all are alike is worth nothing; each other one has at most six bits (base64).
        let length = seen.map(\.utf8.count).min() ?? 0
        let places = (0..<length).filter { place in
            Set(seen.map { Array($0.utf8)[place] }).count > count / 4
        }
        #expect(places.count * 6 >= 128, "\(places.count) of \(length) places differ")
    }
}
