import Foundation
import Testing

/// The landing pages of the documentation have each public type in one of their groups.
@Suite struct CatalogTests {
    @Test(
        "each public type of a library is on its landing page",
        arguments: ["XMPPCore", "XMPPClient", "XMPPModules", "XMPPTestKit"])
    func topics(library: String) throws {
        let page = SourceTree.root.appending(path: "Sources/\(library)/\(library).docc/\(library).md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let topics = try #require(text.range(of: "\n## Topics\n").map { text[$0.upperBound...] })
        let listed = Set(topics.matches(of: /\n- ``([A-Za-z0-9]+)``/).map { String($0.1) })
        let kinds = /^public (?:final class|struct|enum|actor|protocol|class|typealias) ([A-Za-z0-9]+)/
        let types = try SourceTree.files(under: "Sources/\(library)").flatMap(\.code)
            .compactMap { $0.prefixMatch(of: kinds).map { String($0.1) } }
        #expect(types.count >= 10)
        for type in types { #expect(listed.contains(type), "\(type)") }
    }
}
