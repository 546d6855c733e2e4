/// An address that is prepared as it stands: nearly every one that a server sends.
///
/// ASCII without capitals, and a domain whose labels need no second look. Whether another text is an address, and which,
/// `JIDPreparation` says.
struct PlainAddress {
    private(set) var local: String?
    private(set) var domain: String
    private(set) var resource: String?

    init?(_ text: String) {
        var text = text
        guard let parts = text.withUTF8({ bytes in Self.parts(of: bytes) }) else { return nil }
        self = parts
    }

    private init(local: String?, domain: String, resource: String?) {
        (self.local, self.domain, self.resource) = (local, domain, resource)
    }

    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> PlainAddress? {
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        let at = bytes[..<slash].firstIndex(of: UInt8(ascii: "@"))
        let domainStart = at.map { $0 + 1 } ?? 0
        guard isDomain(bytes[domainStart..<slash]) else { return nil }
        if let at {
            guard isPart(at), bytes[..<at].allSatisfy(JIDPreparation.isPreparedLocal) else { return nil }
        }
        if slash < bytes.count {
            guard isPart(bytes.count - slash - 1),
                bytes[(slash + 1)...].allSatisfy({ (0x20...0x7E).contains($0) })
            else { return nil }
        }
        return PlainAddress(
            local: at.map { string(bytes[..<$0]) },
            domain: string(bytes[domainStart..<slash]),
            resource: slash < bytes.count ? string(bytes[(slash + 1)...]) : nil
        )
    }

    private static func isPart(_ count: Int) -> Bool { (1...JIDPreparation.limit).contains(count) }

    private static func string(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    /// Labels of lower-case letters, digits and single hyphens inside.
    private static func isDomain(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard isPart(bytes.count) else { return false }
        var length = 0
        var last = UInt8(ascii: ".")
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                length += 1
            case UInt8(ascii: "-"):
                guard length > 0, last != byte else { return false }
                length += 1
            case UInt8(ascii: "."):
                guard length > 0, last != UInt8(ascii: "-") else { return false }
                length = 0
            case _: return false
            }
            guard length <= 63 else { return false }
            last = byte
        }
        return length > 0 && last != UInt8(ascii: "-")
    }
}
