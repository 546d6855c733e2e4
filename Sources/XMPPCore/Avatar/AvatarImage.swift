/// A picture, with what its bytes say of it.
///
/// It is never decoded: what it is, its first bytes say, and how big it would be, its header.
public struct AvatarImage: Hashable, Sendable {
    /// What a picture can be.
    ///
    /// Others are refused: SVG is a program's text and not a picture's bytes.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// Portable Network Graphics, the one that everybody must know (XEP-0084 section 4.2.1).
        case png
        /// JPEG.
        case jpeg
        /// GIF.
        case gif
        /// WebP.
        case webp

        /// Its media type.
        public var mediaType: String { "image/" + rawValue }

        /// What the first bytes say; nil where they begin none of these.
        public init?(startOf bytes: [UInt8]) {
            let isWebP = bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
            if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                self = .png
            } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
                self = .jpeg
            } else if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
                self = .gif
            } else if isWebP {
                self = .webp
            } else {
                return nil
            }
        }
    }

    /// Why some bytes are no picture to us.
    public enum Fault: Error, Hashable, Sendable {
        /// More than ``AvatarImage/limit``; or less than one byte.
        case size(Int)
        /// The first bytes are of no known format, or their header does not say how big the picture is.
        case format
        /// A side has more pixels than ``AvatarImage/sideLimit``.
        case dimensions(width: Int, height: Int)
    }

    /// Most bytes of a picture.
    ///
    /// As base64 they are as much as Prosody and ejabberd take of a client in one stanza (256 KiB).
    public static let limit = 196_608

    /// The bytes.
    public let bytes: [UInt8]
    /// What they are.
    public let format: Format
    /// How big it is, as its header says.
    public let size: Size
    /// Their hash.
    public let hash: AvatarHash

    /// A picture.
    ///
    /// - Parameters:
    ///   - bytes: Its bytes.
    ///   - limit: How many there may be.
    /// - Throws: Why they are no picture to us.
    public init(_ bytes: [UInt8], limit: Int = limit) throws(Fault) {
        guard !bytes.isEmpty, bytes.count <= limit else { throw .size(bytes.count) }
        guard let format = Format(startOf: bytes), let size = Self.size(of: bytes, format) else { throw .format }
        guard size.width <= Self.sideLimit, size.height <= Self.sideLimit else {
            throw .dimensions(width: size.width, height: size.height)
        }
        (self.bytes, self.format, self.size) = (bytes, format, size)
        hash = AvatarHash(of: bytes)
    }
}
