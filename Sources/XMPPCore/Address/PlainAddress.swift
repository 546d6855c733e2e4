/// An ASCII address in any of its usual spellings: nearly every one that a server sends or a person writes.
///
/// Each part is looked through once, up to the byte that ends it, and made lower case, where the rules say so, while it is
/// copied. What is left to `JIDPreparation` are other characters than ASCII, A-labels, and saying what is wrong with what
/// is no address.
struct PlainAddress {
    private(set) var local: String?
    private(set) var domain: String
    private(set) var resource: String?

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    init?(_ text: String) {
        // Longer than each part may be; what is wrong with a long text is not sought byte by byte.
        guard text.utf8.count <= 3 * JIDPreparation.limit + 2 else { return nil }
        var text = text
        guard let parts = text.withUTF8({ bytes in Self.parts(of: bytes) }) else { return nil }
        self = parts
    }

    private init(local: String?, domain: String, resource: String?) {
        (self.local, self.domain, self.resource) = (local, domain, resource)
    }

    private static func parts(of bytes: Bytes) -> PlainAddress? {
        // What cannot be in a local part ends it, or there is none.
        let at = bytes.firstIndex { !JIDPreparation.isPlainLocal($0) }
        let hasLocal = at.map { bytes[$0] == UInt8(ascii: "@") } ?? false
        let local = Bytes(rebasing: bytes[..<(hasLocal ? at ?? 0 : 0)])
        guard !hasLocal || isPart(local.count) else { return nil }

        let rest = Bytes(rebasing: bytes[(hasLocal ? local.count + 1 : 0)...])
        guard let (domain, end) = rest.first == UInt8(ascii: "[") ? literal(rest) : name(rest) else { return nil }
        guard end < rest.count else {
            return PlainAddress(local: hasLocal ? lowercased(local) : nil, domain: domain, resource: nil)
        }
        let resource = Bytes(rebasing: rest[(end + 1)...])
        guard isPart(resource.count), resource.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return PlainAddress(
            local: hasLocal ? lowercased(local) : nil, domain: domain,
            resource: String(decoding: resource, as: UTF8.self))
    }

    private static func isPart(_ count: Int) -> Bool { (1...JIDPreparation.limit).contains(count) }

    private static func lowercased(_ bytes: Bytes) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for index in 0..<bytes.count {
                buffer.initializeElement(at: index, to: JIDPreparation.lowercased(bytes[index]))
            }
            return bytes.count
        }
    }

    /// An IPv6 address in brackets, and where it ends.
    private static func literal(_ bytes: Bytes) -> (String, end: Int)? {
        let end = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        guard end > 2, bytes[end - 1] == UInt8(ascii: "]") else { return nil }
        return IPv6Address(Bytes(rebasing: bytes[1..<(end - 1)])).map { ($0.inBrackets, end) }
    }

    /// A host name, and where it ends.
    ///
    /// Labels of letters, digits and hyphens inside, with none in the third and fourth place; an IPv4 address where the
    /// last one is a number: `HostName` says why.
    private static func name(_ bytes: Bytes) -> (String, end: Int)? {
        var length = 0
        var isNumber = true
        var last = UInt8(ascii: ".")
        var end = 0
        loop: while end < bytes.count {
            let byte = bytes[end]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                isNumber = false
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                // Behind a full stop it begins a label.
                if length == 0 { isNumber = true }
            case UInt8(ascii: "-"):
                guard length > 0, length != 3 || last != byte else { return nil }
                isNumber = false
            case UInt8(ascii: "."):
                guard (1...63).contains(length), last != UInt8(ascii: "-") else { return nil }
                length = -1
            case UInt8(ascii: "/"):
                break loop
            case _: return nil
            }
            length += 1
            last = byte
            end += 1
        }
        guard end > 0, length <= 63, last != UInt8(ascii: "-") else { return nil }
        // RFC 7622 section 3.2: one full stop at the end is no part of the name.
        let name = Bytes(rebasing: bytes[..<(length == 0 ? end - 1 : end)])
        guard name.count <= HostName.limit, !isNumber || IPv4Address(name) != nil else { return nil }
        return (lowercased(name), end)
    }
}
