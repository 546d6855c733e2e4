/// The texts of names and namespaces, by their places in a context's memory.
///
/// libxml2 keeps one copy of each name for as long as the context lives, so the place says which name it is. A stream has
/// few, again and again.
struct XMLNames {
    /// A power of two, and several times the names of a stream: two at one place would push each other out for ever.
    private static let slots = 256

    private var entries: [(place: UnsafePointer<UInt8>, text: String)?] = []

    /// By a multiplication: the names lie one behind the other, so that what the short ones' places have of their own is in
    /// the lowest bits.
    private static func slot(of place: UnsafePointer<UInt8>) -> Int {
        let mixed = UInt(bitPattern: place) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 56) & (slots - 1)
    }

    /// The text there, which ends with a zero; `read` makes it where it is not known yet.
    mutating func text(at place: UnsafePointer<UInt8>, _ read: (UnsafePointer<UInt8>) -> String) -> String {
        let slot = Self.slot(of: place)
        if entries.isEmpty { entries = Array(repeating: nil, count: Self.slots) }
        if let entry = entries[slot], entry.place == place { return entry.text }
        let text = read(place)
        // What is long is rare, and would be kept for nothing.
        if text.utf8.count <= 64 { entries[slot] = (place, text) }
        return text
    }
}
