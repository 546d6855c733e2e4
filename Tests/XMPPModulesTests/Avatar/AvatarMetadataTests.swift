import Testing
import XMPPCore
import XMPPModules

/// What is read of pictures and of what is said of them.
@Suite struct AvatarMetadataTests {
    private let image: AvatarImage

    init() throws { image = try Pictures.image() }

    private func info(_ attributes: (String, String)...) -> Element {
        Element("info", namespace: Namespace.avatarMetadata, attributes: attributes.map { .init($0.0, $0.1) })
    }

    private func metadata(_ infos: Element...) throws -> AvatarMetadata {
        let element = Element(
            "metadata", namespace: Namespace.avatarMetadata, children: infos.map(Element.Node.element))
        return try #require(AvatarMetadata(element))
    }

    @Test("what is written is read again")
    func round() throws {
        #expect(AvatarMetadata(AvatarMetadata(image).element) == AvatarMetadata(image))
        #expect(AvatarMetadata(nil).element.children.isEmpty)
        #expect(AvatarDataPayload.bytes(in: AvatarDataPayload.element(image)) == image.bytes)
    }

    @Test("of several forms PNG is taken; a picture elsewhere, too big or of no known type is not fetched")
    func best() throws {
        let (a, b) = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
        let png = info(("id", b), ("type", "image/png"), ("bytes", "10"))
        let gif = info(("id", a), ("type", "image/gif"), ("bytes", "10"))
        #expect(try metadata(gif, png).best()?.hash == AvatarHash(b))
        #expect(try metadata(gif).best()?.hash == AvatarHash(a))
        let elsewhere = info(("id", b), ("type", "image/png"), ("bytes", "10"), ("url", "http://198.51.100.7/a.png"))
        #expect(try metadata(elsewhere, gif).best()?.hash == AvatarHash(a))
        #expect(try metadata(elsewhere).best() == nil)
        #expect(try metadata(info(("id", a), ("type", "image/png"), ("bytes", "500000000"))).best() == nil)
        #expect(try metadata(info(("id", a), ("type", "image/svg+xml"), ("bytes", "10"))).best() == nil)
        #expect(try metadata(info(("id", "nonsense"))).hasUnreadable)
    }

    @Test("of several items the newest that names a picture under its own id counts before empty leftovers (B029)")
    func several() throws {
        let id = image.hash.description
        let (full, empty) = (AvatarMetadata(image).element, AvatarMetadata(nil).element)
        let items = [
            PubSubItem(id: "e1", payload: empty), PubSubItem(id: id, payload: full),
            PubSubItem(id: "e2", payload: empty),
        ]
        #expect(AvatarMetadata.current(in: items) == AvatarMetadata(image))
        #expect(AvatarMetadata.current(in: [PubSubItem(id: "e", payload: empty)])?.infos == [])
        #expect(AvatarMetadata.current(in: []) == nil)
    }

    @Test("bytes are what base64 without white space says, and a data: URI is none (B025)")
    func encoded() throws {
        let text = Element.Node.text
        func data(_ value: String) -> [UInt8]? {
            AvatarDataPayload.bytes(in: Element("data", namespace: Namespace.avatarData, children: [text(value)]))
        }
        #expect(data("R0lG\r\n ODlh\t") == Array("GIF89a".utf8))
        #expect(data("R0lGOA") == Array("GIF8".utf8))
        for wrong in ["data:image/gif;base64,R0lGODlh", "R0lG-_lh", "R0lGODlh=", "R"] { #expect(data(wrong) == nil) }
        let long = String(repeating: "AAAA", count: AvatarImage.limit / 3 + 1)
        #expect(data(long) == nil)
    }

    @Test("no picture is empty, or over the limit (B031)")
    func size() {
        #expect(throws: AvatarImage.Fault.size(0)) { try AvatarImage([]) }
        let big = Pictures.dot + [UInt8](repeating: 0, count: AvatarImage.limit)
        #expect(throws: AvatarImage.Fault.size(big.count)) { try AvatarImage(big) }
    }
}
