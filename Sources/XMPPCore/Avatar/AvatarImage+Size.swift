/// How big a picture is, as its header says: nothing is decoded, and the size of nothing is believed before it is compared.
extension AvatarImage {
    /// Width and height in pixels.
    public struct Size: Hashable, Sendable {
        /// From left to right.
        public let width: Int
        /// From top to bottom.
        public let height: Int

        /// A size.
        public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    /// Most pixels a side: some 70 kB can say that they are 24,000 a side, of which a decoder makes gigabytes.
    public static let sideLimit = 2_048

    /// What the header of a picture says; nil where it does not, and then it is none.
    static func size(of bytes: [UInt8], _ format: Format) -> Size? {
        let header = PictureHeader(bytes)
        return switch format {
        case .png: header.png
        case .jpeg: header.jpeg
        case .gif: header.gif
        case .webp: header.webP
        }
    }
}

/// The bytes of a picture, read where its size stands; nil where they end before that.
private struct PictureHeader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ offset: Int) -> Int? { bytes.indices.contains(offset) ? Int(bytes[offset]) : nil }

    /// A number of a few bytes, the first the greatest.
    private func big(_ offset: Int, _ count: Int) -> Int? {
        var value = 0
        for index in offset..<offset + count {
            guard let byte = byte(index) else { return nil }
            value = value << 8 | byte
        }
        return value
    }

    /// A number of a few bytes, the first the smallest.
    private func little(_ offset: Int, _ count: Int) -> Int? {
        var value = 0
        for index in (offset..<offset + count).reversed() {
            guard let byte = byte(index) else { return nil }
            value = value << 8 | byte
        }
        return value
    }

    private func reads(_ text: String, at offset: Int) -> Bool {
        bytes.dropFirst(offset).starts(with: text.utf8)
    }

    private func size(_ width: Int?, _ height: Int?) -> AvatarImage.Size? {
        guard let width, let height, width > 0, height > 0 else { return nil }
        return AvatarImage.Size(width: width, height: height)
    }

    /// IHDR comes first (PNG, section 5.6).
    var png: AvatarImage.Size? {
        guard reads("IHDR", at: 12) else { return nil }
        return size(big(16, 4), big(20, 4))
    }

    /// The logical screen, and each picture on it, which some decoders make room for (GIF89a, sections 18 and 20).
    var gif: AvatarImage.Size? {
        guard var width = little(6, 2), var height = little(8, 2), let flags = byte(10) else { return nil }
        var offset = 13 + Self.colours(flags)
        while let block = byte(offset) {
            offset += 1
            switch block {
            case 0x21: offset += 1
            case 0x2C:
                guard let left = little(offset, 2), let top = little(offset + 2, 2), let own = little(offset + 4, 2),
                    let high = little(offset + 6, 2), let flags = byte(offset + 8)
                else { return size(width, height) }
                (width, height) = (max(width, left + own), max(height, top + high))
                // Its colours, and how the bits are packed.
                offset += 9 + Self.colours(flags) + 1
            case _: return size(width, height)
            }
            // Sub-blocks up to an empty one.
            while let length = byte(offset), length > 0 { offset += 1 + length }
            offset += 1
        }
        return size(width, height)
    }

    private static func colours(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }

    /// The first frame header, whatever segments come before it (ITU-T T.81, B.2.2).
    var jpeg: AvatarImage.Size? {
        var offset = 2
        while let mark = byte(offset), let kind = byte(offset + 1) {
            guard mark == 0xFF else { return nil }
            switch kind {
            // Filling.
            case 0xFF: offset += 1
            // They have no length.
            case 0x01, 0xD0...0xD7: offset += 2
            // The scan or the end, before any frame.
            case 0x00, 0xD8, 0xD9, 0xDA: return nil
            case 0xC0...0xCF where kind != 0xC4 && kind != 0xC8 && kind != 0xCC:
                return size(big(offset + 7, 2), big(offset + 5, 2))
            case _:
                guard let length = big(offset + 2, 2), length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    /// Of the three kinds of a first chunk (RFC 9649, sections 2.5 to 2.7).
    var webP: AvatarImage.Size? {
        if reads("VP8X", at: 12) {
            guard let width = little(24, 3), let height = little(27, 3) else { return nil }
            return size(width + 1, height + 1)
        }
        if reads("VP8L", at: 12), byte(20) == 0x2F, let bits = little(21, 4) {
            return size(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        // A key frame.
        if reads("VP8 ", at: 12), byte(23) == 0x9D, byte(24) == 0x01, byte(25) == 0x2A {
            return size(little(26, 2).map { $0 & 0x3FFF }, little(28, 2).map { $0 & 0x3FFF })
        }
        return nil
    }
}
