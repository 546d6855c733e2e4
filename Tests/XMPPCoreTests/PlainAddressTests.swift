import Testing
import XMPPCore

/// An address in ASCII is read in one way of its own, its parts by themselves in another: both must say the same.
@Suite("Addresses in ASCII")
struct PlainAddressTests {
    private static let labels = [
        "a", "Z", "org", "EXAMPLE", "x9", "9X", "0", "00", "1", "127", "255", "256", "7f", "a-b", "a--b", "B--",
        "abc--d", "--",
        String(repeating: "m", count: 31), String(repeating: "N", count: 62), String(repeating: "o.", count: 100),
    ]
    private static let domains = [
        "127.0.0.1", "10.0.0.255", "[::1]", "[2001:DB8::ff:1.2.3.4]", "[0:0::0001]", "[1:2:3:4:5:6:7:8]",
        "xn--bcher-kva",
        // 253 bytes, which is all that a name may have, and 254.
        String(repeating: "O.", count: 126) + "a", String(repeating: "o.", count: 126) + "aB",
    ]
    private static let damage = [
        ".", "..", "-", "--", "xn--", "XN--", "0", "::", ":", "[", "]", "[::", "::]", "ffff:", "@", "/", " ", "\u{7F}",
        "_",
    ]
    private static let locals = ["", "", "", "Ann@", "a.b[@", "~!@", "@", "a b@"]
    private static let resources = ["", "", "", "/Phone", "/a@b/c", "/ ", "/", "/\u{1}"]

    private static func text(_ generator: inout SplitMix) -> String {
        let names = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            (0..<Int.random(in: 1...2, using: &generator)).map { _ in labels.randomElement(using: &generator) ?? "" }
                .joined()
        }
        var text = names.joined(separator: ".")
        if Int.random(in: 0..<4, using: &generator) == 0 { text = domains.randomElement(using: &generator) ?? "" }
        if Int.random(in: 0..<4, using: &generator) == 0 { text += "." }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let piece = damage.randomElement(using: &generator) ?? ""
            let one = String(Unicode.Scalar(UInt8.random(in: 0..<0x80, using: &generator)))
            let place = text.utf8.index(
                text.startIndex, offsetBy: Int.random(in: 0...text.utf8.count, using: &generator))
            text.insert(contentsOf: Bool.random(using: &generator) ? piece : one, at: place)
        }
        return (locals.randomElement(using: &generator) ?? "") + text
            + (resources.randomElement(using: &generator) ?? "")
    }

    /// The address of its parts, each prepared by itself.
    private static func joined(_ text: String) throws(JIDError) -> JID {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        let names = (parts.first ?? "".utf8[...])
            .split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
        let domain = try DomainName(String(decoding: names.last ?? "".utf8[...], as: UTF8.self))
        let local = names.count > 1 ? String(decoding: names[0], as: UTF8.self) : nil
        let bare = try BareJID(local: local, domain: domain)
        return parts.count > 1 ? try JID(bare, resource: String(decoding: parts[1], as: UTF8.self)) : JID(bare)
    }

    @Test("whole and in parts they are the same, and what is prepared stays as it is")
    func agreement() throws {
        var generator = SplitMix(seed: 1123)
        var accepted = 0
        for _ in 0..<TestCounts.rounds(usual: 30_000, all: 1_000_000) {
            let text = Self.text(&generator)
            let whole = try? JID(text)
            let joined = try? Self.joined(text)
            guard whole == joined, let whole else {
                #expect(whole == nil && joined == nil, "\(text.debugDescription)")
                continue
            }
            accepted += 1
            let again = try JID(whole.description)
            guard again == whole else { return #expect(again == whole, "\(text.debugDescription)") }
        }
        #expect(accepted > 6000)
    }

    @Test("each byte is in a part what it is beside another script, by whose rules it is read one by one")
    func bytes() throws {
        for byte in UInt8(0)..<0x80 {
            let letter = String(Unicode.Scalar(byte))
            guard byte != UInt8(ascii: "@"), byte != UInt8(ascii: "/") else { continue }
            let plain = (try? JID("x\(letter)y@a.test"))?.bare.local
            let wide = (try? JID("x\(letter)y\u{E9}@a.test"))?.bare.local
            #expect(plain.map { $0 + "\u{E9}" } == wide, "\(byte)")
            #expect(
                ((try? JID("a.test/\(letter)"))?.resource).map { $0 + "\u{E9}" }
                    == (try? JID("a.test/\(letter)\u{E9}"))?.resource,
                "\(byte)")
            guard byte != UInt8(ascii: ".") else { continue }
            let name = (try? DomainName("x\(letter)y.test"))?.unicode
            let wideName = (try? DomainName("x\(letter)y.\u{E9}.test"))?.unicode
            #expect(name?.replacing(".test", with: ".\u{E9}.test") == wideName, "\(byte)")
        }
    }

    @Test(
        "of IPv6 addresses the longest zeros are left out, of two as long the first (RFC 5952 section 4.2)",
        arguments: [
            ("0:0:0:0:0:0:0:0", "::"), ("1:0:0:0:0:0:0:0", "1::"), ("0:0:0:0:0:0:0:1", "::1"), ("::1:0:0", "::1:0:0"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"),
            ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
            ("0:0:2:3:4:5:0:0", "::2:3:4:5:0:0"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("ABCD:0ef0:00a:0:0:0:255.0.1.2", "abcd:ef0:a::ff00:102"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1::8", "1::8"), ("::", "::"),
        ]
    )
    func addresses(text: String, expected: String) throws {
        #expect(try JID("a@[\(text)]").description == "a@[\(expected)]")
        #expect(try DomainName("[\(text)]").unicode == "[\(expected)]")
        #expect(try JID("a@[\(expected)]").description == "a@[\(expected)]")
    }

    @Test(
        "no other text in brackets is one",
        arguments: [
            "", ":", ":::", "1", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", ":2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:",
            "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2::3", "1:::2", "12345::", "g::", "::-1",
            "::+1",
            "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3", "::1.2.3.4.5", "::1.2.3.4:5", "::1.2.3.256", "::1.2.3.04", "::1..2.3",
            "::1.2.3.", "::.1.2.3", "1.2.3.4", "::1%1", " ::1", "::1 ", "[::1]", "::1]",
        ]
    )
    func noAddresses(text: String) {
        #expect(throws: JIDError.self) { try JID("a@[\(text)]") }
        #expect(throws: JIDError.self) { try DomainName("[\(text)]") }
    }
}
