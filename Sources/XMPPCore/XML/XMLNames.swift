/// The texts of names and namespaces, by their places in a context's memory.
///
/// libxml2 keeps one copy of each name for as long as the context lives, so the place says which name it is. A stream has
/// few, again and again.
struct XMLNames {
    private static let slots = 64

    private var entries: [(place: UnsafePointer<UInt8>, text: String)?] = []

    /// The text there, which ends with a zero; `read` makes it where it is not known yet.
    mutating func text(at place: UnsafePointer<UInt8>, _ read: (UnsafePointer<UInt8>) -> String) -> String {
        let slot = Int(bitPattern: place) >> 3 & (Self.slots - 1)
        if entries.isEmpty { entries = Array(repeating: nil, count: Self.slots) }
        if let entry = entries[slot], entry.place == place { return entry.text }
        let text = read(place)
        // What is long is rare, and would be kept for nothing.
        if text.utf8.count <= 64 { entries[slot] = (place, text) }
        return text
    }
}
