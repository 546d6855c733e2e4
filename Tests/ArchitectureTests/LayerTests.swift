import Foundation
import Testing

@Suite("The layers")
struct LayerTests {
    @Test("every import of a source is allowed by its layer")
    func imports() throws {
        let files = try SourceTree.files(under: "Sources")
        #expect(files.count > 20)
        for file in files where !nativeTargets.contains(file.target) {
            let layer = try #require(layers.first { $0.target == file.target }, "\(file.target) is in no layer")
            let allowed = layer.dependencies.union(layer.system)
            for module in Self.importedModules(file.code) {
                #expect(allowed.contains(module), "\(file.path) imports \(module)")
            }
        }
    }

    @Test(
        "an import is seen however it is written",
        arguments: [
            "import A", "  import A", "package import A", "@preconcurrency import A", "@_spi(X) public import A",
            "import struct A.B", "internal import A // why", "@testable import A",
        ]
    )
    func importForms(line: String) {
        #expect(Self.importedModules([line[...]]) == ["A"])
    }

    @Test("the folders of Sources are the layers and the native targets")
    func folders() throws {
        #expect(try SourceTree.folders(under: "Sources") == Set(layers.map(\.target)).union(nativeTargets))
    }

    @Test("a layer uses only what stands below it")
    func order() {
        for (index, layer) in layers.enumerated() {
            let below = Set(layers[..<index].map(\.target)).union(nativeTargets).union(botTargets)
            #expect(layer.dependencies.isSubset(of: below), "\(layer.target)")
            #expect(layer.system.isSubset(of: toolchainModules), "\(layer.target)")
        }
    }

    @Test("nothing of XMPP* knows anything of Doorward*")
    func halves() {
        for layer in layers where layer.target.hasPrefix("XMPP") {
            #expect(!layer.dependencies.contains { $0.hasPrefix("Doorward") }, "\(layer.target)")
        }
    }

    @Test("the pure layers import nothing of the system", arguments: ["XMPPCore", "XMPPSession", "DoorwardPolicy"])
    func pure(target: String) throws {
        #expect(try #require(layers.first { $0.target == target }).system.isEmpty)
    }

    @Test("OpenSSL is imported by two targets only")
    func openSSL() {
        #expect(
            layers.filter { $0.dependencies.contains("COpenSSL") }.map(\.target) == ["XMPPCrypto", "XMPPTransport"]
        )
    }

    @Test("Package.swift says the same")
    func package() throws {
        let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        let pattern =
            /(?:[^.]library\(|\.executableTarget\()\s*(?:name:\s*)?"([^"]+)",\s*(?:dependencies:\s*)?\[([^\]]*)\]/
        var declared: [String: Set<String>] = [:]
        for match in manifest.matches(of: pattern) {
            let names = match.output.2.matches(of: /"([^"]+)"/).map { String($0.output.1) }
            declared[String(match.output.1)] = Set(names)
        }
        for layer in layers { #expect(declared[layer.target] == layer.dependencies, "\(layer.target)") }
        #expect(Set(declared.keys) == Set(layers.map(\.target)))
    }

    private static func importedModules(_ code: [Substring]) -> [String] {
        let attributes = /\s*(?:@[A-Za-z_]+(?:\([^)]*\))?\s+)*/
        let access = /(?:(?:public|package|internal|fileprivate|private)\s+)?/
        let kind = /import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?/
        return code.compactMap { line in
            guard let start = line.prefixMatch(of: attributes)?.range.upperBound,
                let word = line[start...].prefixMatch(of: access)?.range.upperBound,
                let module = line[word...].prefixMatch(of: kind)?.range.upperBound
            else { return nil }
            return String(line[module...].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        }
    }
}
