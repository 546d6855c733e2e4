import Testing
import XMPPCore
import XMPPModules

/// The hashes of capabilities.
@Suite struct CapsHashTests {
    private static let psi: [DiscoInfo.Identity] = [
        .init("client", "pc", language: "en", name: "Psi 0.11"), .init("client", "pc", language: "el", name: "Ψ 0.11"),
    ]
    private static let features = [
        "http://jabber.org/protocol/muc", "http://jabber.org/protocol/disco#items",
        "http://jabber.org/protocol/disco#info", "http://jabber.org/protocol/caps",
    ]
    private static let software = DataForm(
        .result,
        fields: [
            FormField("os_version", values: ["10.5.1"]), .hidden("FORM_TYPE", "urn:xmpp:dataforms:softwareinfo"),
            FormField("ip_version", .textMulti, values: ["ipv6", "ipv4"]), FormField("os", values: ["Mac"]),
            FormField("software_version", values: ["0.11"]), FormField("software", values: ["Psi"]),
        ])

    @Test("the simple and the complex example of XEP-0115 come out, whatever the order")
    func firstRule() throws {
        let simple = DiscoInfo(
            identities: [.init("client", "pc", name: "Exodus 0.9.1")], features: Self.features)
        #expect(CapsHash(.first, .sha1, of: simple)?.text == "QgayPKawpkPSDYmwT/WM94uAlu0=")
        let complex = DiscoInfo(identities: Self.psi, features: Self.features, forms: [Self.software])
        #expect(CapsHash(.first, .sha1, of: complex)?.text == "q07IKJEyjvHSyhy//CH0CxmKi8w=")
    }

    @Test("the example of XEP-0390 comes out, whatever the order")
    func secondRule() throws {
        let bombus = DiscoInfo(
            identities: [.init("client", "mobile", name: "BombusMod")],
            features: [
                "http://jabber.org/protocol/si", "http://jabber.org/protocol/bytestreams",
                "http://jabber.org/protocol/chatstates", "http://jabber.org/protocol/disco#info",
                "http://jabber.org/protocol/disco#items", "urn:xmpp:ping", "jabber:iq:time",
                "jabber:iq:privacy", "jabber:iq:version", "http://jabber.org/protocol/rosterx", "urn:xmpp:time",
                "jabber:x:oob", "http://jabber.org/protocol/ibb", "http://jabber.org/protocol/si/profile/file-transfer",
                "urn:xmpp:receipts", "jabber:iq:roster", "jabber:iq:last",
            ])
        #expect(CapsHash(.second, .sha256, of: bombus)?.text == "kzBZbkqJ3ADrj7v08reD1qcWUwNGHaidNUgD7nHpiw8=")
    }

    @Test(
        "what stands twice, or holds what ends a text, has no hash of the first rule: another set could have the same")
    func illFormed() {
        func hash(_ change: (inout DiscoInfo) -> Void) -> CapsHash? {
            var info = DiscoInfo(identities: Self.psi, features: Self.features, forms: [Self.software])
            change(&info)
            return CapsHash(.first, .sha1, of: info)
        }
        #expect(hash { _ in } != nil)
        #expect(hash { $0.identities.append($0.identities[0]) } == nil)
        #expect(hash { $0.features.append($0.features[0]) } == nil)
        #expect(hash { $0.forms.append($0.forms[0]) } == nil)
        #expect(hash { $0.forms[0].fields[1].values.append("another") } == nil)
        #expect(hash { $0.features.append("a<b") } == nil)
        #expect(hash { $0.identities[0].name = "x<http://jabber.org/protocol/caps" } == nil)
        #expect(hash { $0.identities[0].category = "client/pc" } == nil)
        #expect(hash { $0.forms[0].fields[0].values = ["1<2"] } == nil)
        // The same kind twice in a field is no contradiction; a form without a hidden kind does not count.
        #expect(hash { $0.forms[0].fields[1].values.append($0.forms[0].fields[1].values[0]) } == hash { _ in })
        #expect(hash { $0.forms[0].fields[1].kind = .textSingle } == hash { $0.forms = [] })
    }

    @Test("a form that XEP-0390 does not take has no hash of the second rule")
    func formsOfTheSecondRule() {
        func hash(_ form: DataForm) -> CapsHash? {
            CapsHash(.second, .sha256, of: DiscoInfo(identities: Self.psi, features: Self.features, forms: [form]))
        }
        var form = Self.software
        #expect(hash(form) != nil)
        form.columns = [FormField("a")]
        #expect(hash(form) == nil)
        (form.columns, form.rows) = ([], [[FormField("a")]])
        #expect(hash(form) == nil)
        #expect(hash(DataForm(.result, fields: [FormField("os")])) == nil)
    }

    @Test("an announcement without a hash attribute is of before hashes, and none (XEP-0115 section 11)")
    func announcements() throws {
        func read(_ attributes: String) throws -> CapsAnnouncement? {
            CapsPayload.announcement(
                in: try xml("<presence><c xmlns='http://jabber.org/protocol/caps' \(attributes)/></presence>"))
        }
        let text = "QgayPKawpkPSDYmwT/WM94uAlu0="
        #expect(try read("node='urn:x' ver='\(text)'") == nil)
        #expect(try read("hash='sha-1' ver='\(text)'") == nil && read("hash='sha-1' node='urn:x' ver=''") == nil)
        let known = try read("hash='sha-1' node='urn:x' ver='\(text)'")
        #expect(known?.node == "urn:x#\(text)" && known?.hash == CapsHash(.first, .sha1, text))
        // A function that is not known, and what is no hash of it: the answer is good for this sender only.
        #expect(try read("hash='md5' node='urn:x' ver='abc'") == CapsAnnouncement(node: "urn:x#abc", hash: nil))
        #expect(try read("hash='sha-1' node='urn:x' ver='1.0'") == CapsAnnouncement(node: "urn:x#1.0", hash: nil))
        // Longer than anybody's.
        let long = String(repeating: "n", count: CapsPayload.nodeLimit - text.utf8.count)
        #expect(try read("hash='sha-1' node='\(long)' ver='\(text)'") == nil)
        #expect(try read("hash='sha-1' node='\(long.dropLast())' ver='\(text)'") != nil)
    }

    @Test(
        "only the Base64 of a hash of the right length is one, and the second rule takes no SHA-1",
        arguments: [
            (CapsHash.Rule.first, CapsHash.Function.sha1, "QgayPKawpkPSDYmwT/WM94uAlu0=", true),
            (.first, .sha256, "QgayPKawpkPSDYmwT/WM94uAlu0=", false), (.first, .sha1, "", false),
            (.first, .sha1, "QgayPKawpkPSDYmwT/WM94uAlu0", false), (.first, .sha1, "../../etc/passwd", false),
            (.second, .sha256, "kzBZbkqJ3ADrj7v08reD1qcWUwNGHaidNUgD7nHpiw8=", true),
            (.second, .sha1, "QgayPKawpkPSDYmwT/WM94uAlu0=", false),
        ])
    func texts(rule: CapsHash.Rule, function: CapsHash.Function, text: String, isOne: Bool) {
        #expect((CapsHash(rule, function, text) != nil) == isOne)
    }
}
