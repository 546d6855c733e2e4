import Testing
import XMPPCore

/// What an address of a stranger costs, by what is counted and not by time, and the rules that looked through all of it.
@Suite("The work of hostile addresses")
struct HostileAddressTests {
    /// What is repeated, and what comes behind it.
    typealias Form = (unit: String, end: String)

    /// Each rule of RFC 5892 appendix A, kept and broken at the end, and what else has a step of its own.
    static let forms: [Form] = [
        // A.1 and A.2, joiners: near their letters, and with marks between.
        ("\u{628}\u{200C}", "\u{628}"), ("\u{628}\u{200C}", ""), ("\u{200C}", "\u{628}"),
        ("\u{628}\u{200C}\u{64B}", "\u{628}"), ("\u{64B}\u{200C}", "\u{628}"), ("\u{94D}\u{200C}", ""),
        ("\u{94D}\u{200D}", ""), ("\u{64B}", "\u{200C}\u{628}"),
        // A.3 to A.6, neighbours.
        ("l\u{B7}", "l"), ("l\u{B7}", ""), ("\u{375}\u{3B1}", ""), ("\u{5D0}\u{5F3}", ""), ("\u{5D0}\u{5F4}", "a"),
        // A.7, anywhere in the text: at the end, or not at all.
        ("\u{30FB}", "\u{3042}"), ("\u{30FB}", ""), ("\u{FF65}", "\u{3042}"), ("\u{30FB}a", "\u{4E2D}"),
        // A.8 and A.9, nowhere in the text.
        ("\u{660}", ""), ("\u{6F0}", ""), ("\u{628}\u{660}", ""), ("\u{660}", "\u{6F0}"), ("\u{6F0}", "\u{660}"),
        // Widths, capitals, normal forms, accents out of order, compatible forms, the Bidi Rule, spaces, no characters.
        ("\u{FF21}", ""), ("\u{FF35}\u{308}\u{304}", ""), ("\u{FF76}\u{FF9E}", ""), ("\u{C9}", ""), ("\u{130}", ""),
        ("\u{1E9E}", ""), ("\u{3A3}", ""), ("\u{10400}", ""), ("\u{E9}", ""), ("E\u{301}", ""), ("\u{1F82}", ""),
        ("\u{3B1}\u{345}\u{300}\u{313}", ""), ("\u{345}\u{301}\u{327}\u{334}", ""), ("\u{301}", "\u{E9}"),
        ("\u{AC01}", ""), ("\u{1100}\u{1161}\u{11A8}", ""), ("\u{FA10}", ""), ("\u{FDFA}", ""), ("\u{212A}", ""),
        ("\u{1D41A}", ""), ("\u{5D0}", ""), ("\u{5D0}1", ""), ("a\u{5D0}", ""), ("\u{3000}", ""), ("\u{AD}", "\u{E9}"),
        ("\u{200B}", "\u{E9}"), ("\u{105C9}", ""), ("A", "\u{E9}"), ("\\5c", "\u{E9}"), ("xn--bcher-kva", "\u{E9}"),
        // Names of one label and of many.
        ("\u{3002}", ""), ("\u{E9}.", "a"), ("xn--bcher-kva\u{3002}", "a"), ("\u{30FB}\u{3042}.", "a"),
        ("\u{660}\u{628}\u{3002}", "\u{628}"), ("\u{5D0}.", "\u{5D0}"),
        (String(repeating: "\u{30FB}", count: 50) + "\u{3042}.", "a"),
        (String(repeating: "\u{660}", count: 99) + ".", "a"),
    ]

    private static func looks(_ text: String) -> Int {
        var preparation = JIDPreparation()
        _ = try? preparation.address(text)
        return preparation.looks
    }

    private static func text(_ form: Form, _ bytes: Int) -> String {
        String(repeating: form.unit, count: max(1, (bytes - form.end.utf8.count) / form.unit.utf8.count)) + form.end
    }

    @Test("each costs what its characters cost, in every part and of every length", arguments: forms)
    func isBounded(form: Form) {
        for bytes in [64, 256, 1023, 3071, 4092] {
            let text = Self.text(form, bytes)
            // Four times the rules of RFC 8265, of which each step asks for a character a few times.
            let bound = 40 * text.unicodeScalars.count
            #expect(Self.looks("\(text)@a.test") <= bound + 40, "local, \(bytes)")
            #expect(Self.looks("a.test/\(text)") <= bound + 40, "resource, \(bytes)")
            // libidn2 goes over a label for each of 63 code points at most, and a label is no longer than 252.
            #expect(Self.looks("a@\(text)") <= 70 * text.unicodeScalars.count, "domain, \(bytes)")
        }
    }

    @Test("what is too long in any reading is refused before a character is looked at", arguments: forms)
    func tooLong(form: Form) {
        for bytes in [4200, 262_144] {
            let text = Self.text(form, bytes)
            #expect(Self.looks("\(text)@a.test") == 0)
            #expect(Self.looks("a@\(text)") == 0)
            // The domain in front has been.
            #expect(Self.looks("a.test/\(text)") == Self.looks("a.test"))
            #expect(throws: JIDError(.tooLong, in: .local)) { try JID("\(text)@a.test") }
            #expect(throws: JIDError(.tooLong, in: .domain)) { try JID("a@\(text)") }
            #expect(throws: JIDError(.tooLong, in: .resource)) { try JID("a.test/\(text)") }
        }
    }

    /// Texts with what RFC 5892 appendix A has rules for, and whether they hold.
    static let contexts: [(text: String, holds: Bool)] = [
        // A.1 and A.2.
        ("\u{915}\u{94D}\u{200C}\u{937}", true), ("\u{915}\u{94D}\u{200C}", true), ("\u{915}\u{200C}\u{937}", false),
        ("\u{628}\u{200C}\u{628}", true), ("\u{628}\u{200C}", false), ("\u{200C}\u{628}", false),
        ("\u{628}\u{64B}\u{64B}\u{200C}\u{64B}\u{628}", true), ("\u{628}\u{200C}\u{64B}", false),
        ("\u{628}\u{200C}\u{200C}\u{628}", false), ("\u{627}\u{200C}\u{628}", false), ("\u{628}\u{200C}\u{627}", true),
        ("\u{628}\u{200C}\u{628}\u{200C}\u{628}", true), ("\u{628}\u{200C}\u{628}\u{200C}", false),
        ("\u{628}\u{200C}\u{628}\u{200C}a", false), ("\u{915}\u{94D}\u{200D}\u{937}", true), ("a\u{200D}", false),
        ("\u{200D}", false), ("\u{915}\u{94D}\u{200D}\u{200D}", false), ("\u{915}\u{94D}\u{200C}\u{200D}", false),
        // A.3.
        ("l\u{B7}l", true), ("l\u{B7}l\u{B7}l", true), ("l\u{B7}", false), ("\u{B7}l", false), ("l\u{B7}a", false),
        ("l\u{B7}\u{B7}l", false),
        // A.4 to A.6.
        ("\u{375}\u{3B1}", true), ("a\u{375}\u{3B1}", true), ("\u{375}", false), ("\u{375}a", false),
        ("\u{3B1}\u{375}", false), ("\u{375}\u{375}\u{3B1}", true), ("\u{5D0}\u{5F3}", true), ("\u{5F3}", false),
        ("\u{5D0}\u{5F4}\u{5D1}", true), ("\u{5D0}\u{5F3}\u{5F4}", true), ("\u{628}\u{5F3}", false),
        // A.7: Hiragana, Katakana, Han, and what is none of them.
        ("\u{30FB}\u{3042}", true), ("\u{3042}\u{30FB}", true), ("\u{30A2}\u{30FB}\u{30A2}", true),
        ("\u{30FB}\u{30FB}\u{4E2D}", true), ("a\u{30FB}b\u{4E2D}", true), ("\u{30FB}\u{3007}", true),
        ("\u{30FB}", false), ("\u{30FB}\u{30FB}", false), ("a\u{30FB}b", false), ("\u{30FB}\u{AC00}", false),
        ("\u{30FB}\u{30FC}", false), ("\u{30FB}\u{3B1}", false), ("\u{30FB}\u{3105}", false),
        // A.8 and A.9.
        ("\u{628}\u{660}", true), ("\u{628}\u{661}\u{662}", true), ("\u{628}\u{6F1}\u{6F2}", true),
        ("\u{628}\u{661}\u{6F1}", false), ("\u{628}\u{6F1}\u{661}", false), ("\u{628}\u{661}\u{628}\u{6F1}", false),
    ]

    @Test("a context holds in each part where it holds, and nowhere else (RFC 5892 appendix A)", arguments: contexts)
    func context(text: String, holds: Bool) {
        #expect(((try? JID("example.org/\(text)")) != nil) == holds)
        #expect(((try? JID("\(text)@example.org")) != nil) == holds)
        guard !text.unicodeScalars.contains("\u{200C}") else { return }
        #expect((try? JID("a@\(text).example"))?.bare.domain == (holds ? "\(text).example" : nil))
    }
}
