import Glibc
import Testing
import XMPPCore

/// What is a picture to us, by its first bytes and its header.
@Suite("Pictures by their headers")
struct AvatarImageTests {
    private static let magic: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        magic + [0, 0, 0, 13] + Array("IHDR".utf8) + big(width, 4) + big(height, 4) + [1, 0, 0, 0, 0]
    }

    private static func gif(_ width: UInt32, _ height: UInt32, _ rest: [UInt8] = [0, 0, 0]) -> [UInt8] {
        Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + rest
    }

    /// With a segment before the frame, and filling.
    private static func jpeg(_ width: UInt32, _ height: UInt32, frame: UInt8 = 0xC2) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 0xFF, 0xC0, 0, 17, 0xFF, 0xFF, frame, 0, 17, 8] + big(height, 2) + big(width, 2)
    }

    private static func webP(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(kind)".utf8) + [0, 0, 0, 0] + rest
    }

    private static func lossless(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        webP("VP8L", [0x2F] + little((height - 1) << 14 | (width - 1), 4))
    }

    private static func lossy(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        webP("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A] + little(width, 2) + little(height, 2))
    }

    private static func extended(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        webP("VP8X", [0, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    private static func big(_ value: UInt32, _ count: UInt32) -> [UInt8] { little(value, count).reversed() }

    private static func little(_ value: UInt32, _ count: UInt32) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static let kinds: [@Sendable (UInt32, UInt32) -> [UInt8]] = [
        { png($0, $1) }, { gif($0, $1) }, { jpeg($0, $1) }, { jpeg($0, $1, frame: 0xC0) }, { lossless($0, $1) },
        { lossy($0, $1) }, { extended($0, $1) },
    ]

    @Test("each kind says its size, up to 2,048 a side and not more; none of them is decoded (E1)", arguments: 0..<7)
    func sizes(kind: Int) throws {
        let make = Self.kinds[kind]
        #expect(try AvatarImage(make(640, 480)).size == .init(width: 640, height: 480))
        #expect(try AvatarImage(make(2_048, 2_048)).size == .init(width: 2_048, height: 2_048))
        #expect(throws: AvatarImage.Fault.dimensions(width: 2_049, height: 1)) { try AvatarImage(make(2_049, 1)) }
        #expect(throws: AvatarImage.Fault.dimensions(width: 1, height: 8_000)) { try AvatarImage(make(1, 8_000)) }
        // Cut off anywhere before its size it is none.
        let whole = make(7, 7)
        for count in 1..<whole.count {
            if let size = try? AvatarImage(Array(whole.prefix(count))).size {
                #expect(size == .init(width: 7, height: 7))
            }
        }
        #expect(throws: AvatarImage.Fault.format) { try AvatarImage(Array(whole.prefix(10))) }
    }

    /// What this thread has used: on a busy machine other time passes too.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test("70 kB that say they are 24,000 pixels a side are refused by their header, and at once (E1)")
    func bomb() throws {
        let bomb = Self.png(24_000, 24_000) + [UInt8](repeating: 0, count: 70_000)
        #expect(throws: AvatarImage.Fault.dimensions(width: 24_000, height: 24_000)) { try AvatarImage(bomb) }
        #expect(throws: AvatarImage.Fault.dimensions(width: 0xFFFF_FFFF, height: 1)) {
            try AvatarImage(Self.png(0xFFFF_FFFF, 1))
        }
        #expect(throws: AvatarImage.Fault.format) { try AvatarImage(Self.png(0, 1)) }
        // The longest walk: nothing but segments, or blocks, of the smallest size.
        func repeated(_ part: [UInt8], _ count: Int) -> [UInt8] {
            [[UInt8]](repeating: part, count: count).flatMap { $0 }
        }
        let segments: [UInt8] = [0xFF, 0xD8] + repeated([0xFF, 0xE0, 0, 2], 49_000)
        let blocks = Self.gif(1, 1) + repeated([0x21, 0xF9, 0], 60_000)
        let frames = Self.gif(1, 1) + repeated([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0], 16_000)
        for bytes in [segments, blocks, frames] {
            let before = Self.processorTime
            _ = try? AvatarImage(bytes)
            #expect(Self.processorTime - before < .seconds(1))
        }
        #expect((try? AvatarImage(segments)) == nil)
        #expect(try AvatarImage(frames).size == .init(width: 1, height: 1))
    }

    @Test("a picture of an animation that is bigger than its screen counts, behind colours and other blocks too")
    func frames() throws {
        let colours = [UInt8](repeating: 7, count: 12)
        let extra: [UInt8] = [0x21, 0xFE, 2, 65, 66, 1, 67, 0]
        let small: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x81] + colours + [2, 1, 0, 0]
        let big: [UInt8] = [0x2C, 0, 1, 0, 0, 0, 8, 1, 0, 0, 2, 0]
        #expect(try AvatarImage(Self.gif(1, 1, [0x81, 0, 0] + colours + extra + small + [0x3B])).size.width == 1)
        #expect(throws: AvatarImage.Fault.dimensions(width: 2_304, height: 1)) {
            try AvatarImage(Self.gif(1, 1, [0x81, 0, 0] + colours + extra + small + big))
        }
    }

    @Test(
        "what it is its first bytes say, and nothing else is one (E2)",
        arguments: [
            (png(1, 1) + Array("<html><script>alert(1)</script>".utf8), .png), (jpeg(1, 1), .jpeg),
            (Array("GIF87a".utf8) + [1, 0, 1, 0, 0, 0, 0], .gif), (lossy(1, 1), .webp),
            // A program that begins as a GIF says no size that is taken.
            (Array("GIF89a/*\0\0\0\0*/=1;alert(1)".utf8), nil), (Array("RIFF1234WAVE".utf8), nil),
            (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), nil), (Array("%PDF-1.7".utf8), nil),
            (Array("<?xml".utf8), nil), (Array("<html>".utf8), nil), (Array("BM".utf8), nil), ([0, 0, 1, 0], nil),
            (Array("<!--".utf8) + png(1, 1), nil), ([0x89, 0x50], nil), (magic, nil), ([0xFF, 0xD8, 0xFF, 0xE0], nil),
            ([0xFF, 0xD8, 0xFF, 0xDA, 0, 2], nil), (webP("ALPH", [0, 0, 0, 0]), nil),
        ] as [([UInt8], AvatarImage.Format?)])
    func formats(bytes: [UInt8], format: AvatarImage.Format?) {
        #expect((try? AvatarImage(bytes))?.format == format)
    }
}
