import Testing
import XMPPCore
import XMPPModules

/// vCards as values that lose nothing.
@Suite struct VCardTests {
    private func element(_ name: String, _ children: Element.Node...) -> Element {
        Element(name, namespace: Namespace.vCard, children: children)
    }

    private func node(_ name: String, _ children: Element.Node...) -> Element.Node {
        .element(Element(name, namespace: Namespace.vCard, children: children))
    }

    private var rich: Element {
        element(
            "vCard", node("VERSION", .text("3.0")), node("FN", .text("Ann")),
            node("N", node("FAMILY", .text("Lee")), node("X-CLAN", .text("z"))),
            node(
                "ADR", node("HOME"), node("STREET", .text("1 Road")), node("X-FLOOR", .text("3")),
                node("CTRY", .text("NZ"))),
            node("ADR", node("WORK"), node("PREF"), node("COUNTRY", .text("DE"))),
            node("LABEL", node("HOME"), node("LINE", .text("1 Road")), node("LINE", .text("NZ"))),
            node("TEL", node("CELL"), node("NUMBER", .text("+1"))), node("EMAIL", .text("a@x.example")),
            node("X-UNKNOWN", node("DEEP", .text("kept"))),
            .element(Element("other", namespace: "urn:example:other", attributes: [.init("a", "b")])))
    }

    @Test("what is changed is changed, and all the rest goes back as it came")
    func keeps() throws {
        var card = try #require(VCard(rich))
        #expect(card.fullName == "Ann")
        card.fullName = "Ann Lee"
        card.nickname = "ann"
        var expected = rich
        expected.children[1] = node("FN", .text("Ann Lee"))
        expected.children.append(node("NICKNAME", .text("ann")))
        #expect(card.element == expected)
        card.nickname = nil
        card.fullName = "Ann"
        #expect(card.element == rich)
    }

    @Test("setting what is there already changes not one byte")
    func idle() throws {
        var card = try #require(VCard(rich))
        card.name = card.name
        card.addresses = card.addresses
        card.labels = card.labels
        card.telephones = card.telephones
        card.emails = card.emails
        card.photo = card.photo
        #expect(card.element == rich)
    }

    @Test("addresses, labels, numbers and names are read and written in parts, with what is not known in them")
    func parts() throws {
        var card = try #require(VCard(rich))
        #expect(card.addresses.map(\.marks) == [["HOME"], ["WORK", "PREF"]])
        #expect(card.addresses.map(\.country) == ["NZ", "DE"])
        #expect(card.labels.map(\.lines) == [["1 Road", "NZ"]])
        #expect(card.telephones.map(\.number) == ["+1"] && card.emails.map(\.address) == ["a@x.example"])
        card.addresses[0].street = "2 Road"
        card.addresses[0].marks = ["WORK"]
        card.addresses[1].country = "FR"
        card.labels[0].lines = ["2 Road"]
        card.name?.given = "Ann"
        card.emails.append(VCardEmail(["HOME"], address: "b@x.example"))
        #expect(
            card.element.elements[3]
                == element(
                    "ADR", node("WORK"), node("STREET", .text("2 Road")), node("X-FLOOR", .text("3")),
                    node("CTRY", .text("NZ"))))
        #expect(card.element.elements[4] == element("ADR", node("WORK"), node("PREF"), node("CTRY", .text("FR"))))
        #expect(card.element.elements[5] == element("LABEL", node("HOME"), node("LINE", .text("2 Road"))))
        #expect(
            card.element.elements[2]
                == element("N", node("FAMILY", .text("Lee")), node("X-CLAN", .text("z")), node("GIVEN", .text("Ann"))))
        #expect(card.emails.map(\.address) == ["a@x.example", "b@x.example"])
        #expect(card.element.first("X-UNKNOWN", Namespace.vCard) != nil)
    }

    @Test("a picture is read whatever its type says; one elsewhere, broken or empty is none (B024, B025)")
    func photos() throws {
        let image = try Pictures.image()
        func photo(_ children: Element.Node...) throws -> VCardPhoto? {
            let element = Element("PHOTO", namespace: Namespace.vCard, children: children)
            return try #require(VCard(self.element("vCard", .element(element)))).photo
        }
        var written = VCard()
        written.photo = VCardPhoto(image)
        let text = try #require(
            written.element.first("PHOTO", Namespace.vCard)?.first("BINVAL", Namespace.vCard)?.text)
        #expect(written.photo?.image == image)
        for type in ["image/jpeg", "text/html"] {
            #expect(try photo(node("TYPE", .text(type)), node("BINVAL", .text(text)))?.image?.format == .png)
        }
        #expect(try photo(node("BINVAL", .text(text + "\n")))?.hash == image.hash)
        #expect(try photo(node("EXTVAL", .text("http://198.51.100.7/a.png"))) == .external("http://198.51.100.7/a.png"))
        #expect(try photo(node("BINVAL", .text("data:image/png;base64," + text))) == .unreadable)
        #expect(try photo(node("TYPE", .text("image/png")), node("BINVAL")) == VCardPhoto.none)
        #expect(try photo()?.image == nil)
    }

    @Test("vCards of RFC 6351 keep their parameters and what is not known")
    func newer() throws {
        func node(_ name: String, _ children: Element.Node...) -> Element.Node {
            .element(Element(name, namespace: Namespace.vCard4, children: children))
        }
        let parameters = node("parameters", node("pref", node("integer", .text("1"))))
        let source = Element(
            "vcard", namespace: Namespace.vCard4,
            children: [
                node("fn", parameters, node("text", .text("Ann"))), node("fn", node("text", .text("A."))),
                node("x-other", node("unknown", .text("kept"))),
            ])
        var card = try #require(VCard4(source))
        #expect(card.fullName == "Ann" && card.values("fn", "text") == ["Ann", "A."])
        card.fullName = "Ann"
        #expect(card.element == source)
        card.fullName = "Ann Lee"
        card.kind = "application"
        var expected = source
        expected.children[0] = node("fn", parameters, node("text", .text("Ann Lee")))
        expected.children.append(node("kind", node("text", .text("application"))))
        #expect(card.element == expected)
        #expect(VCard4().isEmpty && VCard().isEmpty && VCard(source) == nil)
    }
}
