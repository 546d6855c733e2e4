import Foundation
import Testing

/// The sources of this package, as files.
enum SourceTree {
    struct File {
        var path: String
        var text: String

        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

        /// The lines with comments emptied, so that words in them are not taken for code.
        var code: [Substring] { lines.map { $0.drop { $0 == " " }.hasPrefix("//") ? "" : $0 } }

        /// `XMPPCore` of `Sources/XMPPCore/Address/JID.swift`.
        var target: String { path.split(separator: "/").dropFirst().first.map { String($0) } ?? "" }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func files(under folder: String) throws -> [File] {
        let base = root.appending(path: folder)
        let walk = try #require(FileManager.default.enumerator(atPath: base.path))
        var files: [File] = []
        // What a catalog of documents shows is no source of its module.
        for case let name as String in walk where name.hasSuffix(".swift") && !name.contains(".docc/") {
            let text = try String(contentsOf: base.appending(path: name), encoding: .utf8)
            files.append(File(path: folder + "/" + name, text: text))
        }
        return files.sorted { $0.path < $1.path }
    }

    static func folders(under folder: String) throws -> Set<String> {
        let base = root.appending(path: folder)
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: base.path).filter { name in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: base.appending(path: name).path, isDirectory: &isFolder)
                    && isFolder.boolValue
            }
        )
    }
}
