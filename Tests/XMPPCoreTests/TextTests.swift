import Testing
import XMPPCore

@Suite("Base64")
struct Base64Tests {
    @Test(
        "RFC 4648 section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test(
        "what is not canonical is refused",
        arguments: [
            "=", "==", "===", "====", "a", "a=", "a==", "a===", "aa", "aa=", "aaa", "aaaa=", "aaaaa", "Zg==Zg==",
            "Z=g=", "=Zg=", "Zg= ", " Zg==", "Zg==\n", "Zm\n9v", "Zm-_", "Zm9\u{E9}", "Zh==", "Zm9=", "Zg=a",
        ]
    )
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("decoding undoes encoding for all bytes and lengths")
    func roundTrip() {
        var generator = SplitMix(seed: 4648)
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }
}

@Suite("SASLprep")
struct SASLPrepTests {
    @Test(
        "RFC 4013 section 3",
        arguments: [
            ("I\u{AD}X", "IX"), ("user", "user"), ("USER", "USER"), ("\u{AA}", "a"), ("\u{2168}", "IX"),
            ("a\u{A0}b", "a b"), ("p\u{E4}ss", "p\u{E4}ss"), ("pa\u{308}ss", "p\u{E4}ss"), ("", ""),
            ("\u{627}\u{628}", "\u{627}\u{628}"), ("\u{1F600}", "\u{1F600}"), ("\u{AD}", ""),
        ] as [(String, String?)] + [
            ("\u{7}", nil), ("\u{627}1", nil), ("a\u{627}", nil), ("\u{7F}", nil), ("a\u{0}", nil), ("\u{E000}", nil),
            ("a\u{202E}b", nil), ("\u{FFFD}", nil), ("a\u{85}", nil),
        ]
    )
    func table(text: String, expected: String?) {
        let prepared = SASLPrep.prepare(text)
        #expect(prepared.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }
}

@Suite("Timestamp")
struct TimestampTests {
    @Test(
        "a timestamp prints as RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_767_614_400_000, "2026-01-05T12:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func prints(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test("no moment traps")
    func extremes() {
        for end in [Int64.min, .max, 0] { #expect(!Timestamp(milliseconds: end).description.isEmpty) }
    }
}
