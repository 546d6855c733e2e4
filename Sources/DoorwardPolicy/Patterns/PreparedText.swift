/// A prepared part of an address as a key: equality is equality of the bytes, never of Swift's `String`.
struct PreparedText: Hashable, Sendable {
    let text: String

    init(_ text: some StringProtocol) { self.text = String(text) }

    static func == (left: PreparedText, right: PreparedText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
