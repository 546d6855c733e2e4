import DoorwardPolicy
import Testing
import XMPPCore

/// What RFC 7622 makes one address is one value for a policy, on either side.
@Suite struct PreparedSpellingTests {
    @Test(
        "look-alike spellings pass no list",
        arguments: [
            ("café@example.org", "cafe\u{301}@example.org"), ("ann@example.org", "ａnn@example.org"),
            ("ann@example.org", "ann@ＥＸＡＭＰＬＥ.org"),
            ("ann@example.org", "ann@example。org"), ("*@пример.example", "a@xn--e1afmkfd.example"),
            ("*@xn--e1afmkfd.example", "a@ПРИМЕР.example"), ("*@*.bücher.example", "a@shop.xn--bcher-kva.example"),
            ("сœur@example.org", "СŒUR@example.org"), ("ＡNN*@example.org", "anna@example.org"),
            ("a@mail-*.Ｅxample", "a@mail-1.example"),
        ]
    )
    func spellings(pattern: String, address: String) throws {
        let set: AddressSet = try set(pattern)
        #expect(set.matches(try BareJID(address)))
    }

    @Test(
        "a confusable letter is another letter",
        arguments: [("ann@example.org", "аnn@example.org"), ("*@corp.example", "a@cоrp.example")]
    )
    func confusables(pattern: String, address: String) throws {
        let set: AddressSet = try set(pattern)
        #expect(!set.matches(try BareJID(address)))
    }

    @Test("one address in two normal forms is a duplicate (B078)")
    func normalForms() throws {
        var set = AddressSet()
        #expect(try set.insert("caf\u{e9}@example.org"))
        #expect(try !set.insert("cafe\u{301}@example.org"))
    }

    @Test("a list condition gives every spelling of an address the same verdict, for random addresses")
    func verdicts() throws {
        var generator = SeededGenerator(state: 7622)
        let letters = Array("abcxyz019.-\u{E9}\u{DF}\u{3C0}\u{436}\u{30AC}".unicodeScalars)
        let others: [Unicode.Scalar: [String]] = [
            "\u{E9}": ["e\u{301}", "E\u{301}", "\u{C9}"], "\u{DF}": ["\u{1E9E}"], "\u{3C0}": ["\u{3A0}"],
            "\u{436}": ["\u{416}"], "\u{30AC}": ["\u{30AB}\u{3099}", "\u{FF76}\u{FF9E}"], ".": ["\u{FF0E}"],
        ]
        let domains = [
            ["example.org", "EXAMPLE.org.", "\u{FF45}xample\u{3002}org"],
            ["b\u{FC}cher.example", "xn--bcher-kva.example"],
        ]
        for round in 0..<3000 {
            var local = ""
            var spelling = ""
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let letter = letters.randomElement(using: &generator) ?? "a"
                local.unicodeScalars.append(letter)
                let upper = String(letter).utf8.count == 1 ? [String(letter).uppercased()] : []
                let choices = [String(letter)] + (others[letter] ?? upper)
                spelling += choices.randomElement(using: &generator) ?? ""
            }
            let names = domains[round % 2]
            guard (try? BareJID("\(local)@\(names[0])")) != nil else { continue }
            let listed: AddressSet = try set("\(local)@\(names[0])")
            let address = "\(spelling)@\(names.randomElement(using: &generator) ?? "")"
            #expect(try holds(.from([listed]), facts(from: address)), "\(address)")
            #expect(try !holds(.from([listed]), facts(from: "x\(address)")), "\(address)")
        }
    }
}
