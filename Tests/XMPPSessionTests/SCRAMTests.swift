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
            // No RFC has one: reckoned by Python's hashlib and hmac.
            (
                .sha512, "rOprNGfwEbeRWgbNEkqO", "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", "W22ZaJ0SNY7soEsUEjb6gQ==",
                "gMGXRcevScNtxZ6/8lQYpGtnsNAc3mGcmNomv+xnoOMw+3R2xNJdMNnzMlTN8PPC6wdp6dybEmDYXYTxwnYPJQ==",
                "ZQnYEgWQMFmmsM8aQMF0nDDCy/AgCzkwk8CmMZYcMg0vSVlKDanekLtifDSeVGT4+5ZxXnJq199RVG2rR7N7Zw=="
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

    @Test(
        "what is said of the channel is proved (reckoned by Python's hashlib and hmac; B050)",
        arguments: [
            (
                SCRAM.Mechanism.sha1, SCRAM.Binding.bound(.unique, Array(0...31)), "p=tls-unique,,",
                "cD10bHMtdW5pcXVlLCwAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw==", "xUeXvQ5+owiiwa1HkiElShm7Uz4=",
                "IMiLVSdPKjCRD/iFUyF67PqquMo="
            ),
            (
                .sha256, .bound(.exporter, Array(0...31)), "p=tls-exporter,,",
                "cD10bHMtZXhwb3J0ZXIsLAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f",
                "WPkuIHewkTn2rSb7wS9kVrsJOC+ltpWvySihkHnuWFQ=", "cin0EUTVYMk0FkPyyX0G//iKDUE1qYcl8SSXv384OQc="
            ),
            (
                .sha512, .bound(.serverEndPoint, Array(0...31)), "p=tls-server-end-point,,",
                "cD10bHMtc2VydmVyLWVuZC1wb2ludCwsAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                "HRtCs+DJgLwTyIO1pftlXhh1HMLkE16/2FzgWzSdyj5hZHgSde03zGc8AyHnKp43tSmi1fUOnFD8MeNe72mG0Q==",
                "LB3yDqRo0zwlcrWPFT9lBqJYv91BUUSwvElpFK29vNXJnJ0oQbU/vF3t/P279DPqGQ+pQnET8my4tX+WeIYx+g=="
            ),
            (.sha1, .notOffered, "y,,", "eSws", "c8vBPVcy7VwfuT0t4bd5mPE1jsk=", "ajjgtsLKc53zmcyERojpw86rSCo="),
        ]
    )
    func bindings(
        mechanism: SCRAM.Mechanism, binding: SCRAM.Binding, header: String, proved: String, proof: String,
        signature: String
    ) throws {
        var exchange = try SCRAM(
            mechanism, username: "user", password: Secret("pencil"), nonce: "abc", binding: binding)
        #expect(exchange.clientFirst() == Array("\(header)n=user,r=abc".utf8))
        let challenge = Array("r=abcXYZ,s=QSXCR+Q6sek8bf92,i=4096".utf8)
        guard case .derive(let derivation) = try exchange.received(challenge: challenge) else {
            return #expect(Bool(false))
        }
        let last = exchange.derived(derivation.deriveKeys())
        #expect(last == Array("c=\(proved),r=abcXYZ,p=\(proof)".utf8))
        try exchange.succeeded(with: Array("v=\(signature)".utf8))
    }

    @Test("the hash of an offer is that of XEP-0474, whatever the order")
    func offerHash() {
        let names = ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"]
        let types = ["tls-server-end-point", "tls-exporter"]
        let offer = SASLOffer(usesSASL2: false, mechanisms: names, bindings: types)
        #expect(offer.downgradeProof(.sha1) == "G6k/rBLDqgOhRRaCuuatSDFkJ08=")
        let turned = SASLOffer(usesSASL2: true, mechanisms: names.reversed(), bindings: types.reversed())
        #expect(turned.downgradeProof(.sha1) == "G6k/rBLDqgOhRRaCuuatSDFkJ08=")
        let silent = SASLOffer(usesSASL2: false, mechanisms: names, bindings: nil)
        #expect(silent.downgradeProof(.sha1) == "g00gt4Qd0gJ3EvnclTnY0KEYfRg=")
        #expect(silent.downgradeProof(.sha256) == "Uuua9QJnTss43LMyJpE0esh43d9r8DB6N89DXs91aFo=")
        let empty = SASLOffer(usesSASL2: false, mechanisms: names, bindings: [])
        #expect(empty.downgradeProof(.sha1) != silent.downgradeProof(.sha1))
    }

    @Test(
        "what the server says of its offer and of TLS is compared with what arrived (XEP-0474, XEP-0515)",
        arguments: [
            ("", nil), (",h=G6k/rBLDqgOhRRaCuuatSDFkJ08=", nil), (",h=G6k/rBLDqgOhRRaCuuatSDFkJ08=,t=0304", nil),
            (",x=1,t=0304,h=G6k/rBLDqgOhRRaCuuatSDFkJ08=,y=2", nil), (",t=0304", nil),
            (",h=", .downgradeDetected), (",h=g00gt4Qd0gJ3EvnclTnY0KEYfRg=", .downgradeDetected),
            (",h=G6k/rBLDqgOhRRaCuuatSDFkJ08", .downgradeDetected),
            (",h=G6k/rBLDqgOhRRaCuuatSDFkJ08=,t=0303", .downgradeDetected),
            (",t=0303", .downgradeDetected), (",t=304", .downgradeDetected), (",t=", .downgradeDetected),
            (",t=0x0304", .downgradeDetected), (",t=0304,t=0303", .malformedChallenge),
            (",h=G6k/rBLDqgOhRRaCuuatSDFkJ08=,h=G6k/rBLDqgOhRRaCuuatSDFkJ08=", .malformedChallenge),
        ] as [(String, SessionError.Code?)]
    )
    func downgrades(extensions: String, code: SessionError.Code?) throws {
        let offer = SASLOffer(
            usesSASL2: false, mechanisms: ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"],
            bindings: ["tls-server-end-point", "tls-exporter"])
        var exchange = try SCRAM(
            .sha1, username: "user", password: Secret("pencil"), nonce: "abc",
            check: DowngradeCheck(offer: offer, tlsVersion: 0x0304))
        _ = exchange.clientFirst()
        do throws(SessionError) {
            _ = try exchange.received(challenge: Array("r=abcZ,s=QUJD,i=4096\(extensions)".utf8))
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
            #expect(exchange.derived(SCRAMKeys(clientKey: Secret("a"), serverKey: Secret("b"))) == nil)
        }
    }

    @Test("keys are kept under what they are derived from, and the password cannot be seen in that")
    func cacheKeys() throws {
        func key(
            _ mechanism: SCRAM.Mechanism = .sha1, _ password: String = "hunter2", _ salt: String = "QUJD",
            _ count: Int = 4096,
            _ secret: String = "process"
        ) throws -> SCRAMDerivation.CacheKey {
            var exchange = try scram(mechanism, password: password)
            _ = exchange.clientFirst()
            guard
                case .derive(let derivation) = try exchange.received(
                    challenge: Array("r=abcZ,s=\(salt),i=\(count)".utf8))
            else { throw SessionError.closedByServer }
            return derivation.cacheKey(under: Secret(secret))
        }
        let base = try key()
        #expect(try base == key())
        #expect(
            try !Set([
                key(.sha256), key(.sha1, "hunter3"), key(.sha1, "hunter2", "QUJE"), key(.sha1, "hunter2", "QUJD", 4097),
                key(.sha1, "hunter2", "QUJD", 4096, "other"),
            ]).contains(base))
        var dumped = ""
        dump(base, to: &dumped)
        #expect(!dumped.contains("hunter2"))
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
            let words = error?.description ?? ""
            #expect(words.contains("4096 to 100000 are taken"))
            let isNumber = (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            #expect(words.contains(isNumber ? "asks for \(text) SCRAM iterations" : "an unreadable number"))
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
