import Testing
import XMPPCore

@Suite("Addresses")
struct JIDTests {
    @Test(
        "RFC 7622 section 3.5: valid addresses and what they become",
        arguments: [
            ("juliet@example.com", "juliet@example.com"),
            ("juliet@example.com/foo", "juliet@example.com/foo"),
            ("juliet@example.com/foo bar", "juliet@example.com/foo bar"),
            ("juliet@example.com/foo@bar", "juliet@example.com/foo@bar"),
            ("foo\\20bar@example.com", "foo\\20bar@example.com"),
            ("fussball@example.com", "fussball@example.com"),
            ("fu\u{DF}ball@example.com", "fu\u{DF}ball@example.com"),
            ("\u{3C0}@example.com", "\u{3C0}@example.com"),
            ("\u{3A3}@example.com/foo", "\u{3C3}@example.com/foo"),
            ("\u{3C3}@example.com/foo", "\u{3C3}@example.com/foo"),
            ("\u{3C2}@example.com/foo", "\u{3C2}@example.com/foo"),
            ("king@example.com/\u{265A}", "king@example.com/\u{265A}"),
            ("example.com", "example.com"),
            ("example.com/foobar", "example.com/foobar"),
            ("a.example.com/b@example.net", "a.example.com/b@example.net"),
            // The leading space is in the RFC's list of invalid ones; OpaqueString itself has no such rule.
            ("juliet@example.com/ foo", "juliet@example.com/ foo"),
        ]
    )
    func valid(text: String, expected: String) throws {
        let jid = try JID(text)
        #expect(jid.description.utf8.elementsEqual(expected.utf8))
    }

    @Test(
        "what is no address is refused",
        arguments: [
            // RFC 7622 section 3.5.
            "\"juliet\"@example.com", "foo bar@example.com", "@example.com/", "henry\u{2163}@example.com",
            "\u{265A}@example.com", "juliet@", "/foobar",
            // Empty parts.
            "", "@", "/", "@/", "a@/b", "@example.com", "example.com/", "a@example.com/", ".", "a@.",
            // Characters of RFC 7622 section 3.3.1, also in fullwidth.
            "a&b@example.com", "a'b@example.com", "a:b@example.com", "a<b@example.com", "a>b@example.com",
            "a\u{FF20}b@example.com", "a\u{FF0F}b@example.com", "a\u{FF02}b@example.com",
            // Controls and what cannot be seen.
            "a\u{0}b@example.com", "a\tb@example.com", "a\nb@example.com", "a\u{7F}@example.com",
            "a\u{AD}b@example.com", "a\u{200B}b@example.com", "a\u{202E}b@example.com", "a\u{FEFF}b@example.com",
            "a\u{200D}b@example.com", "a\u{200C}b@example.com", "a\u{FE0F}@example.com", "a\u{85}b@example.com",
            "a\u{E0001}b@example.com", "a\u{FFFE}b@example.com", "a\u{E000}b@example.com", "a\u{3000}b@example.com",
            // Compatibility characters.
            "\u{212A}@example.com", "\u{FB01}@example.com", "\u{2075}@example.com", "\u{1D400}@example.com",
            "\u{FFA0}@example.com", "\u{1100}@example.com",
            // Exceptions and contexts of RFC 8264.
            "\u{640}@example.com", "a\u{B7}b@example.com", "\u{375}a@example.com", "a\u{5F3}@example.com",
            "\u{30FB}@example.com", "\u{661}\u{6F1}@example.com",
            // Bidi Rule.
            "a\u{5D0}@example.com", "\u{5D0}a@example.com", "1\u{5D0}@example.com", "\u{5D0}1\u{661}@example.com",
            // Domains.
            "a@exa mple.com", "a@example..com", "a@.example.com", "a@example.com..", "a@example.com\u{3002}.",
            "a@b\u{FC}cher.example..", "a@-example.com",
            "a@example-.com", "a@exa_mple.com", "a@ab--cd.com", "a@xn--a.com", "a@xn--.com", "a@exam@ple.com",
            "a@example.com:5222", "a@\u{265A}.com", "a@ex\u{FF20}ample.com", "a@e\u{200B}.\u{0}", "a@example\u{FF0F}x",
            "a@[::1", "a@[]", "a@[1.2.3.4]", "a@[::1%eth0]", "a@[:::]", "a@[1:2:3:4:5:6:7:8:9]", "a@[12345::]",
            "a@[1::2::3]", "a@[::1.2.3.256]", "a@[::+1]", "a@[:1:2:3:4:5:6:7]", "a@xn--FU\u{DF}.com",
            // Resources.
            "a@example.com/\u{0}", "a@example.com/a\nb", "a@example.com/\u{7F}", "a@example.com/\u{202E}x",
            "a@example.com/\u{FFFF}", "a@example.com/\u{AD}",
        ]
    )
    func invalid(text: String) {
        #expect(throws: JIDError.self) { try JID(text) }
        #expect(throws: JIDError.self) { try BareJID(text) }
    }

    @Test(
        "all spellings of an address are one address",
        arguments: [
            ["Ann@Example.ORG", "ann@example.org", "ANN@EXAMPLE.org.", "\u{FF21}nn@example.org"],
            ["e\u{301}va@example.org", "\u{E9}va@example.org", "\u{C9}VA@example.org", "E\u{301}va@example.org"],
            [
                "a@B\u{FC}cher.example", "a@b\u{FC}cher.example", "a@xn--bcher-kva.example", "a@b\u{FC}cher.example.",
                "a@XN--BCHER-KVA.example",
            ],
            ["a@fa\u{DF}.example", "a@FA\u{DF}.example", "a@xn--fa-hia.example"],
            ["a@example\u{3002}org", "a@example.org", "a@\u{FF45}xample.org", "a@example.org\u{3002}"],
            ["a@[::1]", "a@[0:0:0:0:0:0:0:1]", "a@[0000::0001]", "a@[::0.0.0.1]"],
            ["a@[2001:DB8::]", "a@[2001:db8:0:0::0]"],
            ["a@[1:0:0:2::3]", "a@[1:0:0:2:0:0:0:3]"],
            ["a@example.org/x\u{A0}y", "a@example.org/x y", "a@example.org/x\u{3000}y"],
            ["a@example.org/e\u{301}", "a@example.org/\u{E9}"],
            ["\u{AC00}@example.org", "\u{AC00}@example.org."],
            ["\u{FF76}\u{FF9E}@example.org", "\u{30AC}@example.org"],
        ]
    )
    func equivalent(spellings: [String]) throws {
        let jids = try spellings.map { try JID($0) }
        #expect(Set(jids).count == 1)
        #expect(Set(jids.map { Array($0.description.utf8) }).count == 1)
    }

    @Test(
        "look-alikes are different addresses",
        arguments: [
            ("ann@example.org", "\u{430}nn@example.org"), ("fussball@example.com", "fu\u{DF}ball@example.com"),
            ("\u{3C3}@example.com", "\u{3C2}@example.com"), ("ann@example.org", "ann@evil-example.org"),
            ("ann@example.org", "ann@example.org.evil.test"), ("ann@example.org", "ann.example.org"),
            ("a@example.org/b", "a@example.org/B"), ("a@example.org/x", "a@example.org/\u{FF58}"),
            ("a@fass.example", "a@fa\u{DF}.example"), ("a@example.org", "example.org/a@example.org"),
            ("i@example.org", "\u{131}@example.org"), ("a@paypal.test", "a@p\u{430}ypal.test"),
        ]
    )
    func different(left: String, right: String) throws {
        #expect(try JID(left) != JID(right))
    }

    @Test("a combining mark behind @ or / does not hide the cut")
    func cutsByBytes() throws {
        // As Swift characters these have no "@" and no "/".
        #expect(throws: JIDError.self) { try JID("user@\u{301}evil.org") }
        #expect(try JID("user@example.org/\u{301}x").bare == BareJID("user@example.org"))
        #expect(try JID("a@b.org/c@d.org/e").resource == "c@d.org/e")
        #expect(throws: JIDError.self) { try JID("a@b@c.org") }
    }

    @Test("a part has 1023 bytes at most, counted after preparation")
    func lengths() throws {
        let part = String(repeating: "a", count: 1023)
        #expect(try JID("\(part)@example.org/\(part)").resource == part)
        #expect(throws: JIDError(.tooLong, in: .local)) { try JID("\(part)a@example.org") }
        #expect(throws: JIDError(.tooLong, in: .resource)) { try JID("example.org/\(part)a") }
        let wide = String(repeating: "\u{FF41}", count: 1023)
        #expect(try JID("\(wide)@example.org").bare.local == part)
        let accented = String(repeating: "\u{E9}", count: 512)
        #expect(throws: JIDError(.tooLong, in: .local)) { try JID("\(accented)@example.org") }
        let huge = String(repeating: "\u{E9}", count: 1_000_000)
        #expect(throws: JIDError(.tooLong, in: .local)) { try JID("\(huge)@example.org") }
        #expect(throws: JIDError(.tooLong, in: .domain)) { try JID("a@\(huge)") }
        let label = String(repeating: "a", count: 63)
        #expect(try BareJID("\(label).org").domain == "\(label).org")
        #expect(throws: JIDError.self) { try BareJID("\(label)a.org") }
    }

    @Test("hosts without dots and addresses of hosts are domains")
    func hosts() throws {
        #expect(try BareJID("ann@localhost").domain == "localhost")
        #expect(try BareJID("ann@127.0.0.1").domain == "127.0.0.1")
        #expect(try BareJID("ann@[::1]").domain == "[::1]")
        #expect(try BareJID("ann@[2001:db8::8:800:200c:417a]").domain == "[2001:db8::8:800:200c:417a]")
    }

    @Test("DNS and certificates get A-labels")
    func asciiDomains() throws {
        #expect(try BareJID("a@b\u{FC}cher.example").asciiDomain == "xn--bcher-kva.example")
        #expect(try BareJID("a@b\u{FC}cher.example").domain == "b\u{FC}cher.example")
        #expect(try BareJID("a@example.org").asciiDomain == "example.org")
        #expect(try BareJID("a@[::1]").asciiDomain == "[::1]")
    }

    @Test("what servers with nodeprep fold together is told apart here, and recognised in an answer")
    func nodeprep() throws {
        let sharp = try JID("fu\u{DF}ball@example.org/x")
        let double = try JID("fussball@example.org/x")
        #expect(sharp != double)
        #expect(sharp.isEqualAsNodeprep(double))
        #expect(!sharp.isEqualAsNodeprep(try JID("fussball@example.net/x")))
        #expect(!sharp.isEqualAsNodeprep(try JID("fussball@example.org/y")))
        #expect(!sharp.isEqualAsNodeprep(try JID("fusball@example.org/x")))
    }

    @Test("random code points never trap, and what is accepted is stable")
    func randomCodePoints() throws {
        var generator = SplitMix(seed: 8264)
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let bound: UInt32 = [0x80, 0x600, 0x3100, 0x11_0000].randomElement(using: &generator) ?? 0x80
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<bound, using: &generator)) { text.append(scalar) }
            }
            for spelling in ["\(String(text))@example.org", "example.org/\(String(text))", String(text)] {
                guard let jid = try? JID(spelling) else { continue }
                #expect(try JID(jid.description) == jid, "\(spelling.unicodeScalars.map(\.value))")
            }
        }
    }
}
