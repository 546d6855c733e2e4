import Testing
import XMPPCore

/// Ways around a list: each text with the address that it is, or nil where it is none.
///
/// A list compares prepared addresses. A text that is not the address it looks like, or is it although it does not look
/// like it, is how one would get past (RFC 7622 section 7.3.2).
@Suite("Ways around a list of addresses")
struct JIDTableTests {
    typealias Row = (text: String, address: String?)

    /// RFC 7622 section 3.5 and cases B033 and B034.
    static let cuts: [Row] = [
        ("bot@example.org/gate@host", "bot@example.org/gate@host"),
        ("bot@example.org/a/b@c//", "bot@example.org/a/b@c//"), ("example.org/x@y", "example.org/x@y"),
        ("room@muc.example.org//@", "room@muc.example.org//@"), ("a@b@example.org", nil),
        ("example.org/", nil), ("example.org//", "example.org//"), ("a@example.org//", "a@example.org//"),
        ("/a@example.org", nil), ("//a@example.org", nil), ("a/b@example.org", "a/b@example.org"),
        ("a@/b", nil), ("@/b", nil), ("@@", nil), ("a@@example.org", nil), ("@example.org", nil), ("x@", nil),
        ("/r", nil), ("x@/r", nil), ("a b@example.org", nil), (" example . org", nil), ("a\"b@example.org", nil),
        ("a'b@example.org", nil), ("a&b@example.org", nil), ("a:b@example.org", nil), ("a<b@example.org", nil),
        ("a>b@example.org", nil), ("x@ex ample.org", nil), ("\u{263A}@example.org", nil),
        ("example.org", "example.org"), ("x@localhost", "x@localhost"), ("a,b=c@example.org", "a,b=c@example.org"),
        ("o\\27hara@example.org", "o\\27hara@example.org"), ("x@example.org/ foo", "x@example.org/ foo"),
        ("a@b/c@d/e@f", "a@b/c@d/e@f"), ("a@b /c", nil), ("a@ b/c", nil), (" a@b/c", nil), ("a @b/c", nil),
        ("a@b/ ", "a@b/ "), ("a@b/  c", "a@b/  c"), ("xmpp:a@b", nil), ("a@b?message", nil), ("a;b@c", "a;b@c"),
        ("a@b;c", nil), ("a@b,c", nil), ("a@b#c", nil), ("a%40b@c", "a%40b@c"), ("a@b%2fc", nil), ("mailto:a@b", nil),
    ]

    /// Capitals and what only folds to them.
    static let letterCase: [Row] = [
        ("ANN@example.org", "ann@example.org"), ("aNN@EXAMPLE.ORG", "ann@example.org"),
        ("ann@example.org/ANN", "ann@example.org/ANN"), ("\u{212A}ing@example.org", nil),
        ("\u{212B}@example.org", nil), ("\u{C5}@example.org", "\u{E5}@example.org"),
        ("a\u{30A}@example.org", "\u{E5}@example.org"), ("A\u{30A}@example.org", "\u{E5}@example.org"),
        ("\u{C4}nn@example.org", "\u{E4}nn@example.org"), ("\u{130}@example.org", "i\u{307}@example.org"),
        ("\u{131}@example.org", "\u{131}@example.org"), ("I@example.org", "i@example.org"),
        ("\u{1E9E}@example.org", "\u{DF}@example.org"), ("\u{DF}@example.org", "\u{DF}@example.org"),
        ("SS@example.org", "ss@example.org"), ("\u{3A3}@example.org", "\u{3C3}@example.org"),
        ("\u{3C2}@example.org", "\u{3C2}@example.org"), ("\u{1C4}@example.org", nil), ("\u{1C5}@example.org", nil),
        ("\u{1C6}@example.org", nil), ("\u{10D0}@example.org", "\u{10D0}@example.org"),
        ("\u{416}@example.org", "\u{436}@example.org"), ("\u{10400}@example.org", "\u{10428}@example.org"),
        ("\u{2C6F}@example.org", "\u{250}@example.org"), ("\u{17F}@example.org", nil),
        ("\u{1E9B}@example.org", nil), ("\u{390}@example.org", "\u{390}@example.org"),
        ("\u{1FD3}@example.org", nil), ("a@EXAMPLE\u{2024}org", nil),
        ("a@\u{212A}example.org", "a@kexample.org"), ("a@STRA\u{DF}E.example", "a@stra\u{DF}e.example"),
        ("a@STRA\u{1E9E}E.example", "a@strasse.example"), ("a@\u{3A3}.example", "a@\u{3C3}.example"),
        ("a@\u{3C2}.example", "a@\u{3C2}.example"), ("a@\u{130}.example", "a@i\u{307}.example"),
    ]

    /// Fullwidth, halfwidth and other compatible forms.
    static let width: [Row] = [
        ("\u{FF41}nn@example.org", "ann@example.org"), ("\u{FF21}NN@example.org", "ann@example.org"),
        ("\u{FF10}@example.org", "0@example.org"), ("\u{FF0E}a@example.org", ".a@example.org"),
        ("a\u{FF20}b@example.org", nil), ("a\u{FF20}example.org", nil), ("a@example.org\u{FF0F}b", nil),
        ("a\u{FF0F}b@example.org", nil), ("a\u{FF1A}b@example.org", nil), ("a\u{FF1C}b@example.org", nil),
        ("a\u{FF02}b@example.org", nil), ("a\u{FF07}b@example.org", nil), ("a\u{FF06}b@example.org", nil),
        ("a\u{3000}b@example.org", nil), ("\u{FF76}@example.org", "\u{30AB}@example.org"),
        ("\u{FF76}\u{FF9E}@example.org", "\u{30AC}@example.org"), ("\u{FFA1}@example.org", nil),
        ("\u{FB00}@example.org", nil), ("\u{FB01}nd@example.org", nil), ("\u{1D41A}nn@example.org", nil),
        ("\u{24D0}nn@example.org", nil), ("\u{AA}@example.org", nil), ("\u{B2}@example.org", nil),
        ("\u{BD}@example.org", nil), ("\u{2160}@example.org", nil), ("\u{2122}@example.org", nil),
        ("a@\u{FF45}\u{FF58}ample.org", "a@example.org"), ("a@example\u{FF0E}org", "a@example.org"),
        ("a@example\u{3002}org", "a@example.org"), ("a@example\u{FF61}org", "a@example.org"),
        ("a@\u{1D41E}xample.org", "a@example.org"), ("a@\u{24D4}xample.org", "a@example.org"),
        ("a@e\u{AD}xample.org", "a@example.org"), ("a@\u{FB01}nd.example", "a@find.example"),
        ("a@b/\u{FF41}", "a@b/\u{FF41}"), ("a@b/\u{FB01}", "a@b/\u{FB01}"), ("a@b/\u{212A}", "a@b/K"),
        ("a@b/\u{3000}", "a@b/ "), ("a@b/\u{A0}x\u{2003}", "a@b/ x "), ("a@b/\u{B2}", "a@b/\u{B2}"),
    ]

    /// What cannot be seen, and marks behind a separator.
    static let invisible: [Row] = [
        ("a\u{200B}nn@example.org", nil), ("a\u{200C}nn@example.org", nil), ("a\u{200D}nn@example.org", nil),
        ("a\u{2060}nn@example.org", nil), ("a\u{FEFF}nn@example.org", nil), ("\u{FEFF}ann@example.org", nil),
        ("a\u{AD}nn@example.org", nil), ("a\u{34F}nn@example.org", nil), ("a\u{61C}nn@example.org", nil),
        ("a\u{115F}nn@example.org", nil), ("a\u{180B}nn@example.org", nil), ("a\u{180E}nn@example.org", nil),
        ("a\u{3164}nn@example.org", nil), ("a\u{FE0F}nn@example.org", nil), ("a\u{E0061}nn@example.org", nil),
        ("a\u{E0100}nn@example.org", nil), ("a\u{FFF9}nn@example.org", nil), ("a\u{2028}nn@example.org", nil),
        ("a\u{0}nn@example.org", nil), ("ann\u{0}@example.org", nil), ("ann@example.org\u{0}", nil),
        ("ann@example.org\u{0}.evil.test", nil), ("a\u{8}nn@example.org", nil), ("ann\n@example.org", nil),
        ("ann@example.org\n", nil), ("ann@example.org\r\n", nil), ("ann\u{7F}@example.org", nil),
        ("ann\u{85}@example.org", nil), ("ann@example.org/\u{85}", nil), ("ann@example.org/a\u{0}b", nil),
        ("ann@example.org/\u{200B}", nil), ("ann@example.org/a\u{200D}b", nil), ("ann@example.org/\u{FE0F}", nil),
        ("ann@\u{301}example.org", nil), ("ann@example.org/\u{301}", "ann@example.org/\u{301}"),
        ("ann\u{301}@example.org", "an\u{144}@example.org"), ("\u{301}ann@example.org", "\u{301}ann@example.org"),
        ("ann@exa\u{200B}mple.org", "ann@example.org"), ("ann@exa\u{200D}mple.org", nil),
        ("ann@exa\u{200C}mple.org", nil), ("ann@exa\u{2060}mple.org", "ann@example.org"),
        ("ann@\u{202E}example.org", nil), ("ann@example.org/\u{202E}gpj", nil), ("a\u{2066}b@example.org", nil),
        ("a\u{200E}b@example.org", nil), ("a\u{200F}b@example.org", nil), ("a\u{D7FF}@example.org", nil),
        ("\u{915}\u{94D}\u{200D}\u{937}@example.org", "\u{915}\u{94D}\u{200D}\u{937}@example.org"),
        ("\u{628}\u{200C}\u{628}@example.org", "\u{628}\u{200C}\u{628}@example.org"),
    ]

    /// Right-to-left letters (RFC 5893).
    static let bidi: [Row] = [
        ("\u{5D0}\u{5D1}@example.org", "\u{5D0}\u{5D1}@example.org"), ("\u{5D0}1@example.org", "\u{5D0}1@example.org"),
        ("\u{627}\u{628}@example.org", "\u{627}\u{628}@example.org"), ("a\u{5D0}@example.org", nil),
        ("\u{5D0}a@example.org", nil), ("1\u{5D0}@example.org", nil), ("\u{661}\u{627}@example.org", nil),
        ("\u{5D0}.\u{5D1}@example.org", "\u{5D0}.\u{5D1}@example.org"), ("\u{5D0}-@example.org", nil),
        ("\u{5D0}1\u{661}@example.org", nil), ("\u{5D0}\u{5B0}@example.org", "\u{5D0}\u{5B0}@example.org"),
        ("a@\u{5D0}\u{5D1}.example", "a@\u{5D0}\u{5D1}.example"), ("a@\u{5D0}b.example", nil),
        ("a@\u{627}\u{661}.example", "a@\u{627}\u{661}.example"), ("a@b/\u{5D0}a", "a@b/\u{5D0}a"),
        // One right-to-left label, and the rule is for all of the name.
        ("a@0a.\u{5D0}\u{5D1}", nil), ("a@a0.\u{5D0}\u{5D1}", "a@a0.\u{5D0}\u{5D1}"), ("a@0.\u{5D0}.example", nil),
        ("a@\u{5D0}\u{5D1}.0a.example", nil), ("a@a-0.\u{5D0}\u{5D1}.", "a@a-0.\u{5D0}\u{5D1}"),
        ("a@xn--4dbc.0a", nil), ("a@0a.xn--4dbc", nil), ("a@0a.b\u{FC}cher.example", "a@0a.b\u{FC}cher.example"),
        ("a@0a.\u{627}\u{661}", nil), ("a@a.\u{661}", nil), ("a@\u{5D0}1.\u{627}\u{661}", "a@\u{5D0}1.\u{627}\u{661}"),
        ("a@\u{967}.\u{5D0}", "a@\u{967}.\u{5D0}"), ("0a@\u{5D0}\u{5D1}", "0a@\u{5D0}\u{5D1}"),
    ]

    /// Spellings of domains.
    static let domains: [Row] = [
        ("a@example.org.", "a@example.org"), ("a@example.org..", nil), ("a@.example.org", nil), ("a@example..org", nil),
        ("a@.", nil), ("a@..", nil), ("a@-example.org", nil), ("a@example-.org", nil), ("a@ex--ample.org", nil),
        ("a@exa--mple.org", "a@exa--mple.org"), ("a@ex_ample.org", nil), ("a@_xmpp._tcp.example.org", nil),
        ("a@*.example.org", nil), ("a@example.org:5222", nil), ("a@xn--bcher-kva.example", "a@b\u{FC}cher.example"),
        ("a@XN--BCHER-KVA.example", "a@b\u{FC}cher.example"), ("a@b\u{FC}cher.example", "a@b\u{FC}cher.example"),
        ("a@BU\u{308}CHER.example", "a@b\u{FC}cher.example"), ("a@xn--bcher-kva.example.", "a@b\u{FC}cher.example"),
        ("a@xn--example.org", nil), ("a@xn--example-.org", nil), ("a@xn--.org", nil), ("a@xn---.org", nil),
        ("a@xn--a.org", nil), ("a@xn--strae-oqa.example", "a@stra\u{DF}e.example"),
        ("a@strasse.example", "a@strasse.example"), ("a@xn--stra\u{DF}e.example", nil),
        ("a@xn--j-0ga.example", "a@\u{F6}j.example"),
        ("a@\u{2603}.example", nil), ("a@xn--n3h.example", nil), ("a@\u{1F4A9}.example", nil),
        ("a@\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}", "a@\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}"),
        ("a@xn--r8jz45g.xn--zckzah", "a@\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}"),
        ("a@l\u{B7}l.example", "a@l\u{B7}l.example"),
        ("a@a\u{B7}a.example", nil), ("a@127.0.0.1", "a@127.0.0.1"), ("a@127.0.0.1.", "a@127.0.0.1"),
        ("a@[::1]", "a@[::1]"), ("a@[0:0::0:1]", "a@[::1]"), ("a@[::FFFF:1.2.3.4]", "a@[::ffff:102:304]"),
        ("a@[::ffff:102:304]", "a@[::ffff:102:304]"), ("a@[2001:DB8::1]", "a@[2001:db8::1]"), ("a@[::1].", nil),
        ("a@[::1]x", nil), ("a@::1", nil), ("a@[1.2.3.4]", nil), ("a@[fe80::1%eth0]", nil), ("a@[]", nil),
        ("a@[::1", nil), ("a@[:::]", nil), ("a@[::01.2.3.4]", nil), ("a@[00001::]", nil), ("a@[1::2::3]", nil),
        ("a@localhost.", "a@localhost"), ("a@0x7f.1", nil), ("a@256.1.1.1", nil), ("a@010.0.0.1", nil),
        ("a@1.2.3.4.5", nil), ("a@1.2.3", nil), ("a@1", nil), ("a@1.", nil), ("a@0.0.0.0", "a@0.0.0.0"),
        ("a@255.255.255.255", "a@255.255.255.255"), ("a@1.2.3.4..", nil), ("a@1..2.3", nil), ("a@example.1", nil),
        ("a@xn--bcher-kva.1", nil), ("a@b\u{FC}cher.1", nil), ("a@\u{FF11}.2.3.4", "a@1.2.3.4"),
        ("a@256.\u{FF11}", nil),
        ("a@1.example", "a@1.example"), ("a@1.2.3.4a", "a@1.2.3.4a"), ("a@1.2.3.a-4", "a@1.2.3.a-4"),
        ("a@a--b.example", "a@a--b.example"), ("a@abc--d.example", "a@abc--d.example"), ("a@A--.example", nil),
        ("a@" + String(repeating: "a", count: 63) + ".b", "a@" + String(repeating: "a", count: 63) + ".b"),
        ("a@" + String(repeating: "a", count: 64) + ".b", nil),
    ]

    /// Letters that are younger than Unicode 14.
    ///
    /// Swift knows them, and Debian 12's libunistring, which has the normal forms, does not. A newer one may take those that
    /// have no compatible form; that spellings agree `JIDPropertyTests` holds for any.
    static let younger: [Row] = [
        // Canonically equivalent pairs.
        ("\u{105C9}@example.org", nil), ("\u{105D2}\u{307}@example.org", nil), ("\u{105E4}@example.org", nil),
        ("\u{105DA}\u{307}@example.org", nil), ("\u{11383}@example.org", nil),
        ("\u{11382}\u{113C9}@example.org", nil), ("\u{16121}@example.org", nil),
        ("\u{1611E}\u{1611E}@example.org", nil), ("\u{16D68}@example.org", nil),
        ("\u{16D67}\u{16D67}@example.org", nil), ("a@b/\u{105C9}", nil), ("a@b/\u{105D2}\u{307}", nil),
        ("a@b/\u{16D68}", nil), ("a@\u{105C9}.example", nil), ("a@\u{11383}.example", nil),
        // Compatible forms (RFC 8264 section 9.17), and capitals, symbols, digits.
        ("ann\u{1E030}@example.org", nil), ("a@b/\u{1E030}", nil), ("a@\u{1E030}.example", nil),
        ("\u{A7DC}@example.org", nil), ("\u{1C89}@example.org", nil), ("a@b/\u{1FAE8}", nil),
        ("\u{11F50}@example.org", nil),
        // Their elders.
        ("\u{10D00}@example.org", "\u{10D00}@example.org"), ("a@b/\u{1FAE7}", "a@b/\u{1FAE7}"),
        ("\u{1E2C0}@example.org", "\u{1E2C0}@example.org"), ("\u{2C2F}@example.org", "\u{2C5F}@example.org"),
        ("\u{1109A}@example.org", "\u{1109A}@example.org"), ("\u{11099}\u{110BA}@example.org", "\u{1109A}@example.org"),
    ]

    /// The lengths of RFC 7622 section 3.1, after preparation; of a domain those of RFC 1035 section 2.3.4, in A-labels.
    static let lengths: [Row] = {
        let part = String(repeating: "a", count: 1023)
        let domain = String(repeating: String(repeating: "a", count: 62) + ".", count: 4) + "z"
        let wide = domain.replacing("z", with: "\u{FF5A}")
        // 17 times 14 bytes in A-labels, and 15.
        let other = String(repeating: "b\u{FC}cher.", count: 17) + String(repeating: "x", count: 15)
        let encoded = other.replacing("b\u{FC}cher", with: "xn--bcher-kva")
        let short = String(repeating: "\u{1D41A}\u{3002}", count: 126)
        let accents = String(repeating: "\u{FF55}\u{308}\u{304}", count: 511)
        return [
            ("\(part)@b", "\(part)@b"), ("\(part)a@b", nil), ("a@b/\(part)", "a@b/\(part)"), ("a@b/\(part)a", nil),
            ("a@\(domain)", "a@\(domain)"), ("a@\(domain)a", nil), ("a@\(domain).", "a@\(domain)"),
            ("a@\(domain)a.", nil), ("a@\(domain).a", nil), ("a@\(wide)", "a@\(domain)"), ("a@\(wide)a", nil),
            ("a@\(wide)\u{FF0E}", "a@\(domain)"), ("a@\(wide)a\u{FF0E}", nil), ("a@\(wide)aa", nil),
            ("a@\(other)", "a@\(other)"), ("a@\(other)x", nil), ("a@\(encoded)", "a@\(other)"),
            ("a@\(encoded)x", nil), ("a@\(encoded).", "a@\(other)"),
            ("a@\(short)\u{1D41A}", "a@" + String(repeating: "a.", count: 126) + "a"),
            ("a@\(short)\u{1D41A}a", nil), ("a@\(short)aa", nil),
            ("a@" + String(repeating: "a.", count: 127), "a@" + String(repeating: "a.", count: 126) + "a"),
            // 3577 bytes that are 1022.
            ("\(accents)@b", String(repeating: "\u{1D6}", count: 511) + "@b"), ("\(accents)uu@b", nil),
            ("\(part)@\(domain)/\(part)", "\(part)@\(domain)/\(part)"),
            (String(repeating: "\u{FF41}", count: 1023) + "@b", "\(part)@b"),
            (String(repeating: "\u{FF41}", count: 1024) + "@b", nil),
            (String(repeating: "\u{E9}", count: 511) + "@b", String(repeating: "\u{E9}", count: 511) + "@b"),
            (String(repeating: "\u{E9}", count: 512) + "@b", nil),
            ("a@b/" + String(repeating: "e\u{301}", count: 511), "a@b/" + String(repeating: "\u{E9}", count: 511)),
            ("a@b/" + String(repeating: "\u{E9}", count: 512), nil),
        ]
    }()

    static let all = [cuts, letterCase, width, invisible, bidi, domains, younger, lengths].flatMap { $0 }

    @Test("there are more than 200 of them")
    func count() {
        #expect(Self.all.count >= 200)
    }

    @Test("each is the address that it is, or none (B033, B034)")
    func rows() {
        for (text, address) in Self.all {
            let jid = try? JID(text)
            let found = (jid?.description).map { Array($0.utf8) }
            #expect(
                found == address.map { Array($0.utf8) },
                "\(text.prefix(40).unicodeScalars.map { String($0.value, radix: 16) })"
            )
            #expect((try? BareJID(text)) == jid?.bare)
            guard let jid else { continue }
            // What is prepared stays as it is, and has the parts that it shows.
            #expect((try? JID(jid.description)) == jid)
            #expect((try? BareJID(local: jid.bare.local, domain: jid.bare.domainName)) == jid.bare)
            #expect((try? DomainName(jid.bare.domain)) == jid.bare.domainName)
            #expect((try? DomainName(jid.bare.asciiDomain)) == jid.bare.domainName)
            if let resource = jid.resource { #expect((try? JID(jid.bare, resource: resource)) == jid) }
        }
    }

    @Test("bytes that are not UTF-8 are no address (B034)")
    func notUTF8() {
        // As a Swift string they are U+FFFD, which no part may hold.
        let text = String(decoding: [0xFF, 0xFE] + Array("@example.org".utf8), as: UTF8.self)
        #expect(throws: JIDError(.forbiddenCharacter, in: .local)) { try JID(text) }
    }
}
