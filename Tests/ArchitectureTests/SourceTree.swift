import Foundation
import Testing

/// The sources of this package, as files.
enum SourceTree {
    struct File {
        let path: String
        let text: String
        let lines: [Substring]
        /// The lines with comments emptied, so that words in them are not taken for code.
        let code: [Substring]

        init(path: String, text: String) {
            (self.path, self.text) = (path, text)
            let end = UInt8(ascii: "\n")
            lines = text.utf8.split(separator: end, omittingEmptySubsequences: false).map { Substring($0) }
            code = lines.map { line in
                let code = line.utf8.drop { $0 == UInt8(ascii: " ") }
                return code.starts(with: "//".utf8) ? "" : line
            }
        }

        /// `XMPPCore` of `Sources/XMPPCore/Address/JID.swift`.
        var target: String { path.split(separator: "/").dropFirst().first.map { String($0) } ?? "" }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Read once: many tests look at all of them.
    private static let known = Result { try ["Sources", "Tests"].map { ($0, try read(under: $0)) } }

    static func files(under folder: String) throws -> [File] {
        for (top, files) in try known.get() where folder == top || folder.hasPrefix(top + "/") {
            let files = folder == top ? files : files.filter { $0.path.hasPrefix(folder + "/") }
            try #require(!files.isEmpty)
            return files
        }
        return try read(under: folder)
    }

    private static func read(under folder: String) throws -> [File] {
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
