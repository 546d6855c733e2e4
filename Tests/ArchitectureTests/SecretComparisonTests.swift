import Testing

/// What takes longer the more of it is right tells a guesser how far it has come.
@Suite("Comparisons of secrets")
struct SecretComparisonTests {
    /// Where secrets, proofs and signatures are handled; the scripted server of tests has nobody to hide them from.
    private static let targets: Set<String> = [
        "XMPPCrypto", "XMPPCore", "XMPPSession", "XMPPClient", "DoorwardStore", "DoorwardConfig",
    ]

    private static var words: String {
        "(?i:proof|signature|mac|secret|password|passphrase|verifier|(?:client|server|stored)key|saltedpassword|responder)"
    }

    /// `a.proof == b`, `a == proof.bytes`, `proof.elementsEqual(b)` and the like; not a comparison with nil.
    private static var comparison: Regex<AnyRegexOutput>? {
        let name = "\\b(?:\\w+[.?!]+)*\\w*\(words)(?:\\.bytes)?\\)?"
        let pattern =
            "\(name) *[!=]=(?! *nil)|[!=]= *\(name)(?![\\w(]|\\.(?!bytes))|\(name)\\.(?:elementsEqual|starts)\\("
            + "|\\.bytes *[!=]= |[!=]= *\\S+\\.bytes\\b"
        return try? Regex(pattern)
    }

    @Test("are made by the one function that takes the same time for all (CVE-2021-32921, CVE-2025-59432)")
    func constantTime() throws {
        let comparison = try #require(Self.comparison)
        for line in [
            "guard proof == expected", "left.secret.bytes == right.secret.bytes", "if a != serverSignature {",
            "password.bytes.elementsEqual(x)", "guard claimed.elementsEqual(b), storedKey == c", "token.bytes != x",
        ] {
            #expect(line.contains(comparison), "not found: \(line)")
        }
        for line in ["draft.password != nil", "proof.count == 20", "constantTimeEquals(claimed, signature)"] {
            #expect(!line.contains(comparison), "found: \(line)")
        }
        for file in try SourceTree.files(under: "Sources") where Self.targets.contains(file.target) {
            for (index, line) in file.code.enumerated() where line.contains(comparison) {
                Issue.record("\(file.path):\(index + 1) compares a secret: \(line)")
            }
        }
    }

    @Test("what a server must prove is compared by it", arguments: ["SCRAM.swift", "HashedToken.swift"])
    func proofs(name: String) throws {
        let files = try SourceTree.files(under: "Sources/XMPPSession/SASL")
        let file = try #require(files.first { $0.path.hasSuffix("/" + name) })
        #expect(file.code.count { $0.contains("constantTimeEquals(") } == 1)
    }
}
