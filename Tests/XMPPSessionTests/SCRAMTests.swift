import Testing
import XMPPCore
import XMPPCrypto
import XMPPSession

@Suite("SCRAM")
struct SCRAMTests {
    private func scram(
        _ mechanism: SCRAM.Mechanism = .sha1,
        user: String = "user",
        password: String = "pencil",
        nonce: String = "abc",
        bounds: ClosedRange<Int> = 4096...100_000
    ) throws -> SCRAM {
        try SCRAM(mechanism, username: user, password: Secret(password), nonce: nonce, iterationBounds: bounds)
    }

    @Test(
        "RFC 5802 section 5 and RFC 7677 section 3",
        arguments: [
            (
                SCRAM.Mechanism.sha1, "fyko+d2lbbFgONRv9qkxdawL", "3rfcNHYJY1ZVvWVs7j", "QSXCR+Q6sek8bf92",
                "v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=", "rmF9pqV8S7suAoZWja4dJRkFsKQ="
            ),
            (
                .sha256, "rOprNGfwEbeRWgbNEkqO", "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", "W22ZaJ0SNY7soEsUEjb6gQ==",
                "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
            ),
        ]
    )
    func vectors(
        mechanism: SCRAM.Mechanism,
        nonce: String,
        more: String,
        salt: String,
        proof: String,
        signature: String
    ) throws {
        var exchange = try scram(mechanism, nonce: nonce)
        #expect(exchange.clientFirst() == Array("n,,n=user,r=\(nonce)".utf8))
        let step = try exchange.received(challenge: Array("r=\(nonce)\(more),s=\(salt),i=4096".utf8))
        guard case .derive(let derivation) = step else { return #expect(Bool(false)) }
        let last = exchange.derived(derivation.deriveKeys())
        #expect(last == Array("c=biws,r=\(nonce)\(more),p=\(proof)".utf8))
        var flipped = exchange
        #expect(throws: SessionError.self) { try flipped.succeeded(with: Array("v=A\(signature.dropFirst())".utf8)) }
        var extended = exchange
        try extended.succeeded(with: Array("v=\(signature),x=1".utf8))
        try exchange.succeeded(with: Array("v=\(signature)".utf8))
        #expect(throws: SessionError.self) { try exchange.succeeded(with: Array("v=\(signature)".utf8)) }
    }

    @Test("names are escaped (B048)")
    func escaping() throws {
        var exchange = try scram(user: "a=b,c")
        #expect(Base64.encode(exchange.clientFirst()) == "biwsbj1hPTNEYj0yQ2Mscj1hYmM=")
    }

    @Test(
        "a first message is read strictly (B048)",
        arguments: [
            ("r=abcX=Y==,s=QUJD,i=4096", true), ("r=abcZ,s=QUJD,i=4096,d=extra", true), ("r=abcZ,s=QUJD,i=4096,", true),
            ("m=foo,r=abcZ,s=QUJD,i=4096", false), ("r=abcZ,s=QUJD,i=4096,m=foo", false),
            ("r=xyz,s=QUJD,i=4096", false),
            ("r=abc,s=QUJD,i=4096", false), ("s=QUJD,i=4096", false), ("s=QUJD,r=abcZ,i=4096", false), ("", false),
            ("r=abcZ", false), ("r=abcZ,s=QUJD", false), ("r=abcZ,s=,i=4096", false), ("r=abcZ,s=QUJ,i=4096", false),
            ("r=abcZ,s=QU JD,i=4096", false), ("r=abc\u{1},s=QUJD,i=4096", false), ("r=abc\u{E9},s=QUJD,i=4096", false),
            ("r=abc ,s=QUJD,i=4096", false), ("r=abcZ,s=QUJD,,i=4096", false), (",r=abcZ,s=QUJD,i=4096", false),
            ("r=ABCZ,s=QUJD,i=4096", false), ("e=other-error", false), ("r=,s=QUJD,i=4096", false),
        ]
    )
    func firstMessages(text: String, fine: Bool) throws {
        var exchange = try scram()
        _ = exchange.clientFirst()
        if fine {
            guard case .derive = try exchange.received(challenge: Array(text.utf8)) else { return #expect(Bool(false)) }
        } else {
            let error = #expect(throws: SessionError.self) { try exchange.received(challenge: Array(text.utf8)) }
            #expect(error?.code == .malformedChallenge)
        }
    }

    @Test(
        "the iteration count is bounded before any work (B049, security B9)",
        arguments: [
            ("1", false), ("4095", false), ("4096", true), ("10000", true), ("100000", true), ("100001", false),
            ("200000", false), ("10000000", false), ("2147483648", false), ("4294967295", false),
            ("99999999999999999999", false), ("1" + String(repeating: "0", count: 40), false), ("0", false),
            ("-5", false),
            ("+4096", false), ("04096", false), ("abc", false), ("", false), ("4096x", false), (" 4096", false),
            ("\u{664}\u{660}\u{669}\u{666}", false), ("4096.0", false), ("0x1000", false), ("1e4", false),
        ]
    )
    func iterations(text: String, fine: Bool) throws {
        var exchange = try scram()
        _ = exchange.clientFirst()
        let challenge = Array("r=abcZ,s=QUJD,i=\(text)".utf8)
        if fine {
            guard case .derive(let derivation) = try exchange.received(challenge: challenge) else {
                return #expect(Bool(false))
            }
            #expect(derivation.iterations == Int(text))
        } else {
            let error = #expect(throws: SessionError.self) { try exchange.received(challenge: challenge) }
            #expect(error?.code == .iterationsOutOfBounds)
            #expect(error?.retry == .park)
        }
    }

    @Test("the bounds can be set")
    func bounds() throws {
        var exchange = try scram(bounds: 4096...300_000)
        _ = exchange.clientFirst()
        guard case .derive = try exchange.received(challenge: Array("r=abcZ,s=QUJD,i=200000".utf8)) else {
            return #expect(Bool(false))
        }
    }

    @Test("steps out of turn are refused, and nothing is proved afterwards")
    func order() throws {
        let keys = SCRAMKeys(clientKey: Secret("a"), serverKey: Secret("b"))
        let challenge = Array("r=abcZ,s=QUJD,i=4096".utf8)
        var early = try scram()
        #expect(throws: SessionError.self) { try early.received(challenge: challenge) }
        #expect(early.derived(keys) == nil)
        var twice = try scram()
        _ = twice.clientFirst()
        _ = try twice.received(challenge: challenge)
        #expect(throws: SessionError.self) { try twice.received(challenge: challenge) }
        #expect(twice.derived(keys) == nil)
        #expect(throws: SessionError.self) { try twice.succeeded(with: nil) }
    }

    @Test("the password is prepared by SASLprep")
    func preparation() throws {
        func keys(_ password: String) throws -> SCRAMKeys {
            var exchange = try scram(password: password)
            _ = exchange.clientFirst()
            guard case .derive(let derivation) = try exchange.received(challenge: Array("r=abcZ,s=QUJD,i=4096".utf8))
            else {
                throw SessionError.closedByServer
            }
            return derivation.deriveKeys()
        }
        #expect(try keys("I\u{AD}X").clientKey.bytes == keys("IX").clientKey.bytes)
        #expect(try keys("pa\u{308}ss").clientKey.bytes == keys("p\u{E4}ss").clientKey.bytes)
        #expect(try keys("USER").clientKey.bytes != keys("user").clientKey.bytes)
        for password in ["", "\u{AD}", "a\u{0}"] {
            let error = #expect(throws: SessionError.self) { try scram(password: password) }
            #expect(error?.code == .passwordUnusable)
        }
        #expect(throws: SessionError.self) {
            try SCRAM(.sha1, username: "a", password: Secret([0xFF]), nonce: "abc")
        }
    }
}
