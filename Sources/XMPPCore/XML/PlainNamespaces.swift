/// The namespaces of plain stanzas, each as one text that is made once.
///
/// A pool has one: what it keeps is bounded, and no stanza can see what others left in it.
final class PlainNamespaces {
    private static let slots = 64
    /// What is longer is rare, and would be kept for nothing.
    private static let keptBytes = 64

    @exclusivity(unchecked) private var texts: [String] = []

    /// The namespace written so, if it is one beyond doubt.
    func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        let slot = Self.slot(of: bytes)
        if slot < texts.count, isSame(texts[slot], bytes) { return texts[slot] }
        guard Self.isURI(bytes) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.count <= Self.keptBytes {
            if texts.isEmpty { texts = Array(repeating: "", count: Self.slots) }
            texts[slot] = text
        }
        return text
    }

    /// By the length and the last bytes, in which namespaces differ.
    private static func slot(of bytes: UnsafeRawBufferPointer) -> Int {
        var mixed = UInt64(bytes.count)
        if bytes.count >= 8 {
            mixed ^= UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
        }
        return Int((mixed &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }

    /// An empty text is in every free slot, and no namespace.
    private func isSame(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty, text.utf8.count == bytes.count else { return false }
        return text.utf8.withContiguousStorageIfAvailable { sameBytes(UnsafeRawBufferPointer($0), bytes) } ?? false
    }

    /// Namespaces of XML's own, which are no default (Namespaces in XML section 3).
    private static let reserved = [Namespace.xml, "http://www.w3.org/2000/xmlns/"]

    /// Whether the bytes are a URI of the kinds that namespaces are (RFC 3986 section 3): `scheme:path`, or
    /// `scheme://host/path`, and a fragment, of letters, digits, `-`, `.`, `_`, `:` and `/`.
    ///
    /// Many others are URIs too. Whether they are, libxml2 says; what is taken here, it never refuses.
    static func isURI(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, isLetter(bytes[0]),
            bytes[..<colon].allSatisfy({ isLetter($0) || isDigit($0) })
        else { return false }
        var index = colon + 1
        guard index < bytes.count else { return false }
        if bytes[index] == UInt8(ascii: "/") {
            guard index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "/"), isLetter(bytes[index + 2]) else {
                return false
            }
            index += 2
            while index < bytes.count, isLetter(bytes[index]) || isDigit(bytes[index]) || isMark(bytes[index]) {
                index += 1
            }
            guard index == bytes.count || bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: "#") else {
                return false
            }
        }
        var hasFragment = false
        for byte in bytes[index...] {
            if byte == UInt8(ascii: "#"), !hasFragment {
                hasFragment = true
            } else if !isLetter(byte), !isDigit(byte), !isMark(byte), byte != UInt8(ascii: ":"),
                byte != UInt8(ascii: "/")
            {
                return false
            }
        }
        // By their lengths first: the others are looked at whenever one is written.
        return bytes.count != 36 && bytes.count != 29 || !reserved.contains { $0.utf8.elementsEqual(bytes) }
    }

    /// Whether it is one of XML's own.
    static func isReserved(_ namespace: String) -> Bool { reserved.contains { sameBytes($0, namespace) } }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}
