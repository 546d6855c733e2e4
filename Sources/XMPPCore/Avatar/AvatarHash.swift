import XMPPCrypto

/// The name of a picture: the SHA-1 of its bytes, by which avatars are announced (XEP-0084 section 4.2.1, XEP-0153 section
/// 4.1).
///
/// It tells pictures apart and is no proof of who made one.
public struct AvatarHash: Hashable, Sendable {
    private let high: UInt64
    private let middle: UInt64
    private let low: UInt32

    /// The hash of a picture.
    public init(of bytes: [UInt8]) {
        self.init(raw: digest(.sha1, bytes))
    }

    /// Reads one as it is announced: 40 hexadecimal digits, in either case; nil where it is not that.
    public init?(_ text: String) {
        guard text.utf8.count == 40 else { return nil }
        var raw: [UInt8] = []
        raw.reserveCapacity(20)
        var upper: UInt8?
        for letter in text.utf8 {
            guard let digit = Self.value(of: letter) else { return nil }
            if let first = upper {
                raw.append(first << 4 | digit)
                upper = nil
            } else {
                upper = digit
            }
        }
        self.init(raw: raw)
    }

    /// The hash of no bytes at all, which some announce who have no picture.
    public static let ofNothing = AvatarHash(of: [])

    private init(raw: [UInt8]) {
        high = raw.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        middle = raw.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = raw.dropFirst(16).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Its 20 bytes.
    public var bytes: [UInt8] {
        let parts = [(high, 8), (middle, 8), (UInt64(low), 4)]
        return parts.flatMap { value, count in
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64((count - 1 - $0) * 8)) }
        }
    }

    private static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
        case _: nil
        }
    }
}

extension AvatarHash: CustomStringConvertible {
    /// As it is announced: 40 lower-case hexadecimal digits.
    public var description: String { hexadecimal(bytes) }
}
