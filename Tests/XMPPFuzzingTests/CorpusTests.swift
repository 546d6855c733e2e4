import Foundation
import Testing
import XMPPFuzzing

@Suite("The corpus of the fuzzers")
struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzzing/Corpus")

    private static func inputs(of name: String) throws -> [(String, [UInt8])] {
        let base = folder.appending(path: name)
        return try FileManager.default.contentsOfDirectory(atPath: base.path).sorted().map { file in
            (file, [UInt8](try Data(contentsOf: base.appending(path: file))))
        }
    }

    @Test("every input that a fuzzer kept goes through", arguments: FuzzTarget.allCases)
    func replay(target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target.rawValue)
        #expect(inputs.count > 5)
        for (file, bytes) in inputs { #expect(target.run(bytes) == nil, "\(target)/\(file)") }
    }

    @Test("so does each that was compared with Expat, and each cut short")
    func comparison() throws {
        for (file, bytes) in try Self.inputs(of: "expat") {
            #expect(FuzzTarget.stream.run([3] + bytes) == nil, "expat/\(file)")
            #expect(FuzzTarget.stanza.run(Array(bytes.dropLast(3))) == nil, "expat/\(file)")
        }
    }
}
