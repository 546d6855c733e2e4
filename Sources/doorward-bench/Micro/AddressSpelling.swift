import XMPPCore

/// Addresses in ASCII that are spelled in one way, for `doorward-bench micro`.
struct AddressSpelling: Sendable {
    /// As bench-micro knows it.
    var name: String
    var title: String
    var texts: [String]

    /// The same as in bench-peers/micro/main.c.
    static let all = [
        AddressSpelling(
            name: "address", title: "an ASCII address read",
            texts: [
                "support@doorward.test", "ann@example.org/phone", "a.rather.long-name_2026@conference.chat.example.net",
                "bot17@a.test/d8f3a1c25e",
            ]),
        AddressSpelling(
            name: "address-capitals", title: "- with capitals", texts: ["Ann@example.org", "ann@Example.ORG/Phone"]),
        AddressSpelling(
            name: "address-dot", title: "- with a full stop behind",
            texts: ["ann@example.org.", "ann@example.org./phone"]),
        AddressSpelling(
            name: "address-hyphens", title: "- with hyphens in a row",
            texts: ["ann@a--b.example", "ann@chat---2.example.org/phone"]),
        AddressSpelling(
            name: "address-ipv4", title: "- of an IPv4 address", texts: ["ann@192.168.100.200", "ann@10.0.0.1/phone"]),
        AddressSpelling(
            name: "address-ipv6", title: "- of an IPv6 address",
            texts: [
                "ann@[2001:db8::1]", "ann@[2001:0DB8:1234:5ef0:1000:ABCD:7fff:fffe]/phone",
                "ann@[::ffff:192.168.100.200]",
            ]),
        AddressSpelling(
            name: "address-long", title: "- of 255 bytes",
            texts: [
                String(repeating: "L", count: 243) + "@Example.org",
                "a@" + String(repeating: "Ab-1.", count: 50) + "org",
            ]),
    ]

    func read(_ count: Int) {
        for number in 0..<count where (try? JID(texts[number % texts.count])) == nil {
            complain("an address was refused")
        }
    }
}
