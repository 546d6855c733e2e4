import Testing
import XMPPCore

@Suite("Escapes in local parts")
struct JIDEscapingTests {
    /// XEP-0106 section 5, and each of its ten characters.
    static let rows: [(String, String)] = [
        ("space cadet", "space\\20cadet"), ("call me \"ishmael\"", "call\\20me\\20\\22ishmael\\22"),
        ("at&t guy", "at\\26t\\20guy"), ("d'artagnan", "d\\27artagnan"), ("/.fanboy", "\\2f.fanboy"),
        ("::foo::", "\\3a\\3afoo\\3a\\3a"), ("<foo>", "\\3cfoo\\3e"), ("user@host", "user\\40host"),
        ("c:\\net", "c\\3a\\net"), ("c:\\\\net", "c\\3a\\\\net"), ("c:\\cool stuff", "c\\3a\\cool\\20stuff"),
        ("c:\\5commas", "c\\3a\\5c5commas"), ("o'hara", "o\\27hara"),
        (
            "here's_a_wild_&_/cr%zy/_address_for_:<wv>(\"IMPS\")\\5c",
            "here\\27s_a_wild_\\26_\\2fcr%zy\\2f_address_for_\\3a\\3cwv\\3e(\\22IMPS\\22)\\5c5c"
        ),
        // What only looks like an escape stays.
        ("\\2plus\\2is\\4", "\\2plus\\2is\\4"), ("foo\\bar", "foo\\bar"), ("foob\\41r", "foob\\41r"), ("\\", "\\"),
        ("\\2", "\\2"), ("\\\\", "\\\\"), ("\\2F", "\\2F"), ("\\5C", "\\5C"), ("\\21", "\\21"),
        // A text that has escapes itself comes back as it was.
        ("a\\20b", "a\\5c20b"), ("\\5c", "\\5c5c"), ("\\5c20", "\\5c5c20"), ("\\27", "\\5c27"),
        ("b\u{FC}cher @home", "b\u{FC}cher\\20\\40home"), ("", ""), ("plain", "plain"),
    ]

    @Test("a text is escaped as XEP-0106 says, and comes back", arguments: rows)
    func table(text: String, escaped: String) throws {
        #expect(try JIDEscaping.escape(text) == escaped)
        #expect(JIDEscaping.unescape(escaped) == text)
    }

    @Test("a space at the begin or the end has no escape", arguments: [" a", "a ", " ", "  "])
    func spaces(text: String) {
        #expect(throws: JIDError(.forbiddenCharacter, in: .local)) { try JIDEscaping.escape(text) }
    }

    @Test(
        "an escaped space at the begin or the end is shown as it stands",
        arguments: [
            ("\\20a", "\\20a"), ("a\\20", "a\\20"), ("\\20", "\\20"), ("\\20a\\20b\\20", "\\20a b\\20"),
            ("\\20\\20", "\\20\\20"), ("a\\20\\20", "a \\20"),
        ]
    )
    func escapedSpaces(local: String, shown: String) {
        #expect(JIDEscaping.unescape(local) == shown)
    }

    @Test("an escaped text is a local part, and one that its preparation leaves alone comes back from the address")
    func addresses() throws {
        var generator = SplitMix(seed: 106)
        let pieces = Array("\"&'/:<>@\\ 2057acef.b".unicodeScalars)
        let domain = try DomainName("example.org")
        for _ in 0..<5000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...9, using: &generator) {
                view.append(pieces.randomElement(using: &generator) ?? "a")
            }
            let text = String(view)
            guard let escaped = try? JIDEscaping.escape(text) else {
                #expect(text.hasPrefix(" ") || text.hasSuffix(" "))
                continue
            }
            let jid = try BareJID(local: escaped, domain: domain)
            #expect(try BareJID(jid.description) == jid)
            #expect(JIDEscaping.unescape(try #require(jid.local)) == text)
        }
    }

    @Test("escaped addresses are compared as they stand: d'artagnan is no spelling of another")
    func identity() throws {
        #expect(try BareJID("d\\27artagnan@example.org") != BareJID("dartagnan@example.org"))
        #expect(try BareJID("D\\27Artagnan@example.org") == BareJID("d\\27artagnan@example.org"))
        #expect(try BareJID("a\\2Fb@example.org") == BareJID("a\\2fb@example.org"))
        #expect(JIDEscaping.unescape(try #require(BareJID("a\\2Fb@example.org").local)) == "a/b")
    }
}
