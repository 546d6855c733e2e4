import Foundation
import Testing
import XMPPFuzzing

@Suite("A damaged certificate")
struct CertificateDamageTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzzing/Corpus/certificate")

    static let seeds: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".der") }
        .sorted()

    @Test("is read without a fault, and never for a name that it does not have", arguments: seeds)
    func damage(_ file: String) throws {
        let seed = [UInt8](try Data(contentsOf: Self.folder.appending(path: file)))
        for length in 0..<seed.count { #expect(FuzzTarget.certificate.run(Array(seed.prefix(length))) == nil) }
        var state = UInt64(seed.count)
        func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        for _ in 0..<2000 {
            var bytes = seed
            for _ in 0...next() % 3 {
                let place = next() % bytes.count
                switch next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
                case 1: bytes[place] ^= 1 << UInt8(next() % 8)
                default: bytes[place] = [0x00, 0x2A, 0x2E, 0x7F, 0x80, 0x82, 0xA0, 0xFF][next() % 8]
                }
            }
            #expect(FuzzTarget.certificate.run(bytes) == nil)
        }
    }
}
