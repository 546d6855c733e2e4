import Testing

@testable import XMPPCore

@Suite("Plain bytes")
struct PlainBytesTests {
    @Test("any byte at any place among plain ones ends them or does not, as it would alone")
    func eachByteAtEachPlace() {
        for byte in UInt8.min...UInt8.max {
            for stop in [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "<")] {
                for place in 0..<20 {
                    var bytes = Array("an ordinary text, ok".utf8)
                    bytes[place] = byte
                    for spaceOnly in [false, true] {
                        let isPlain = (0x20...0x7F).contains(byte) || !spaceOnly && (byte == 0x09 || byte == 0x0A)
                        let ends = !isPlain || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || byte == stop
                        let end = bytes.withUnsafeBytes { $0.endOfPlain(from: 0, before: stop, spaceOnly: spaceOnly) }
                        #expect(end == (ends ? place : 20))
                    }
                }
            }
        }
    }

    @Test("behind bytes that end nothing, those that do are found all the same")
    func pairs() {
        for first in UInt8.min...UInt8.max {
            for second in [0x00, 0x1F, 0x20, 0x26, 0x27, 0x3C, 0x7F, 0x80, 0xFF] as [UInt8] {
                for distance in 1...9 {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 24)
                    bytes[3] = first
                    bytes[3 + distance] = second
                    let expected = bytes.firstIndex { byte in
                        byte > 0x7F || (byte < 0x20 && ![0x09, 0x0A].contains(byte))
                            || [0x26, 0x27, 0x3C].contains(byte)
                    }
                    #expect(bytes.withUnsafeBytes { $0.endOfPlain(from: 0, before: 0x27) } == expected ?? 24)
                }
            }
        }
    }

    @Test("any byte at any place of a text of any length needs an escape or does not, as it would alone")
    func escapes() {
        for byte in UInt8.min...UInt8.max {
            let isPlain = (0x20...0x7F).contains(byte) && !Array("&<>'\"".utf8).contains(byte)
            for count in 1...20 {
                for place in 0..<count {
                    var bytes = Array("an ordinary text, ok".utf8.prefix(count))
                    bytes[place] = byte
                    #expect(bytes.withUnsafeBytes { $0.needsNoEscapes } == isPlain)
                }
            }
        }
        #expect([UInt8]().withUnsafeBytes { $0.needsNoEscapes })
    }

    @Test("nothing is looked at in front of the beginning")
    func start() {
        let bytes = Array("<'abc".utf8)
        #expect(bytes.withUnsafeBytes { $0.endOfPlain(from: 2, before: UInt8(ascii: "'")) } == 5)
        #expect(bytes.withUnsafeBytes { $0.endOfPlain(from: 5, before: UInt8(ascii: "'")) } == 5)
    }
}
