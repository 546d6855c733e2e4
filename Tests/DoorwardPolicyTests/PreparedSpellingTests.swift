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
}
