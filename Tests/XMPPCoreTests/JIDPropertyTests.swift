import Foundation
import Testing
import XMPPCore

@Suite("Spellings of random addresses")
struct JIDPropertyTests {
    private static let letters = Array(
        "abcxyz019.-_~!\\\u{E9}\u{DF}\u{F8}\u{E4}\u{3C0}\u{3C3}\u{436}\u{5D0}\u{4E2D}\u{30AC}\u{AC00}".unicodeScalars
    )
    private static let domains = [
        "example.org", "localhost", "b\u{FC}cher.example", "stra\u{DF}e.example", "\u{43F}\u{440}.example",
        "\u{4F8B}.\u{30C6}\u{30B9}", "a-b.mail.example", "192.0.2.1",
        // 253 bytes in A-labels, which is all that a name may have, and 254 (RFC 1035 section 2.3.4).
        String(repeating: "abcdefg.", count: 31) + "xyz.a", String(repeating: "abcdefg.", count: 31) + "xyz.ab",
        String(repeating: "b\u{FC}cher.", count: 17) + "xyz.example.org",
        String(repeating: "b\u{FC}cher.", count: 17) + "xyz.example.orgx",
    ]

    @Test("every equivalent spelling gives the same verdict of a list, and what is no address is none in any spelling")
    func verdicts() throws {
        var generator = SplitMix(seed: 7622)
        var accepted = 0
        let rounds = TestCounts.rounds(usual: 20_000, all: 1_000_000)
        for round in 0..<rounds {
            var local = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                local.append(Self.letters.randomElement(using: &generator) ?? "a")
            }
            let domain = Self.domains.randomElement(using: &generator) ?? "example.org"
            let other =
                respelled(local: String(local), &generator) + "@" + respelled(domain: domain, &generator) + "/Any"
            let codes = { other.unicodeScalars.map { String($0.value, radix: 16) } }
            guard let jid = try? BareJID("\(String(local))@\(domain)") else {
                #expect((try? BareJID(other)) == nil, "\(codes())")
                continue
            }
            accepted += 1
            let list: Set<BareJID> = [jid]
            guard let spelled = try? JID(other) else { return #expect(Bool(false), "\(codes())") }
            #expect(list.contains(spelled.bare), "\(codes())")
            #expect(spelled.bare.description.utf8.elementsEqual(jid.description.utf8))
            guard round % 8 == 0 else { continue }
            #expect((try? BareJID(jid.description)) == jid, "\(codes())")
            #expect((try? BareJID("\(String(local))x@\(domain)")).map(list.contains) != true)
            #expect((try? BareJID("\(String(local))@x\(domain)")).map(list.contains) != true)
        }
        #expect(accepted > rounds * 5 / 10)
    }

    /// Foundation knows another version of Unicode than libunistring.
    ///
    /// Whatever the one has and the other has not, there are no two addresses for what either says is the same.
    @Test("each character that has other forms is with all of them the same address, or none (RFC 8264 section 9.17)")
    func forms() throws {
        var respelled = 0
        for value in UInt32(0x80)..<0x11_0000 {
            // Jamo are refused before they could become a syllable (RFC 8264 section 9.9).
            guard let scalar = Unicode.Scalar(value), !(0xAC00...0xD7A3).contains(value) else { continue }
            let text = String(scalar)
            let forms = [text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping]
            // A character that no normal form has, such as the Kelvin sign, is none of a local part; the letter is. So is
            // what a titlecase letter, which is none (section 9.14), is taken apart into.
            let isNone =
                !forms[1].utf8.elementsEqual(text.utf8) || scalar.properties.generalCategory == .titlecaseLetter
            for form in forms where !form.utf8.elementsEqual(text.utf8) {
                respelled += 1
                let local = Self.local(text)
                #expect(Self.local(form) == local || local == nil && isNone, "\(String(value, radix: 16))")
                #expect(Self.resource(form) == Self.resource(text), "\(String(value, radix: 16))")
            }
            let isWidthVariant = value == 0x3000 || (0xFF00...0xFFEF).contains(value)
            guard !isWidthVariant,
                !text.precomposedStringWithCompatibilityMapping.utf8.elementsEqual(forms[1].utf8)
            else { continue }
            #expect(Self.local(text) == nil, "\(String(value, radix: 16))")
        }
        #expect(respelled > 2000)
    }

    /// By itself, or where the Bidi Rule wants that, behind a right-to-left letter.
    private static func local(_ text: String) -> [UInt8]? {
        let jid = (try? BareJID("\(text)@a.test")) ?? (try? BareJID("\u{5D0}\(text)@a.test"))
        return jid?.local.map { Array($0.utf8) }
    }

    private static func resource(_ text: String) -> [UInt8]? {
        (try? JID("a.test/\(text)"))?.resource.map { Array($0.utf8) }
    }

    /// Capitals, fullwidth letters and capitals of those, taken apart accents.
    private func respelled(local: String, _ generator: inout SplitMix) -> String {
        var output = String.UnicodeScalarView()
        for scalar in local.unicodeScalars {
            switch scalar.value {
            case 0x61...0x7A:
                // a, A, fullwidth a, fullwidth A
                let shift = [0, -0x20, 0xFEE0, 0xFEC0].randomElement(using: &generator) ?? 0
                output.append(Unicode.Scalar(UInt32(Int(scalar.value) + shift)) ?? scalar)
            case 0x21...0x39 where Bool.random(using: &generator) && scalar != "/":
                output.append(Unicode.Scalar(scalar.value + 0xFEE0) ?? scalar)
            case 0xE9: output += ["e\u{301}", "E\u{301}", "\u{C9}", "\u{FF45}\u{301}"].pick(&generator)
            case 0xE4: output += ["a\u{308}", "A\u{308}", "\u{C4}"].pick(&generator)
            case 0xDF: output += ["\u{DF}", "\u{1E9E}"].pick(&generator)
            case 0x3C0: output += ["\u{3C0}", "\u{3A0}"].pick(&generator)
            case 0x3C3: output += ["\u{3C3}", "\u{3A3}"].pick(&generator)
            case 0x436: output += ["\u{436}", "\u{416}"].pick(&generator)
            case 0x30AC: output += ["\u{30AB}\u{3099}", "\u{FF76}\u{FF9E}"].pick(&generator)
            case 0xAC00: output += ["\u{AC00}"].pick(&generator)
            case _: output.append(scalar)
            }
        }
        return String(output)
    }

    /// Capitals, fullwidth letters, A-labels, other full stops, one at the end.
    private func respelled(domain: String, _ generator: inout SplitMix) -> String {
        var text = domain
        if Bool.random(using: &generator), let ascii = try? DomainName(domain).ascii { text = ascii }
        let isEncoded = text.utf8.starts(with: "xn--".utf8) || text.contains(".xn--")
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x61...0x7A:
                let shifts = isEncoded ? [0, -0x20] : [0, -0x20, 0xFEE0, 0xFEC0]
                output.append(
                    Unicode.Scalar(UInt32(Int(scalar.value) + (shifts.randomElement(using: &generator) ?? 0))) ?? scalar
                )
            case 0x2E where !isEncoded:
                output += [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].pick(&generator)
            case 0xFC: output += ["\u{FC}", "u\u{308}", "\u{DC}", "U\u{308}"].pick(&generator)
            case 0x43F: output += ["\u{43F}", "\u{41F}"].pick(&generator)
            case 0x30C6: output += ["\u{30C6}", "\u{FF83}"].pick(&generator)
            case _: output.append(scalar)
            }
        }
        return String(output) + (Bool.random(using: &generator) ? "." : "")
    }
}

extension [String] {
    fileprivate func pick(_ generator: inout SplitMix) -> String.UnicodeScalarView {
        (randomElement(using: &generator) ?? "").unicodeScalars
    }
}
