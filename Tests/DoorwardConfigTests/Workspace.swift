import DoorwardConfig
import Foundation
import Testing

/// Where a finding is due: its code, file and place.
struct Finding: Hashable, Comparable, CustomStringConvertible {
    var path: String
    var line: Int
    var column: Int
    var code: String

    static func < (left: Finding, right: Finding) -> Bool {
        (left.path, left.line, left.column, left.code) < (right.path, right.line, right.column, right.code)
    }

    var description: String { "\(path):\(line):\(column) \(code)" }
}

/// A temporary folder with the files of one test.
///
/// A mark such as `⟦DW012⟧` in a text is taken out and says that this
/// finding is due just there.
final class Workspace {
    let root: String
    private(set) var due: [Finding] = []

    init() {
        root = FileManager.default.temporaryDirectory.path + "/doorward-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }

    func write(_ name: String, _ marked: String, mode: Int = 0o600) throws {
        try write(name, bytes: Array(clean(name, marked).utf8), mode: mode)
    }

    func write(_ name: String, bytes: [UInt8], mode: Int = 0o600) throws {
        let file = path(name)
        let folder = (file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    /// Everything that a configuration needs beside what the test is about.
    func writeRest(main: Bool = true, policy: Bool = true, bot: Bool = true) throws {
        if main {
            try write(
                "config/doorward.yaml",
                """
                version: 1
                store: sqlite:../var/doorward.db
                control: c.sock
                policies: [policies/*.yaml]
                bots: [../bots/*/bot.yaml]
                """
            )
        }
        if policy {
            try write(
                "config/policies/community.yaml",
                "version: 1\npolicy: community\nsubscription: [ { rule: everyone, then: ask } ]\n"
            )
        }
        if bot {
            try write(
                "bots/b/bot.yaml",
                "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: PASSWORD } } ]\n"
            )
        }
    }

    /// Loads the configuration on a machine whose users are not known, unless told otherwise.
    func load(overlay: String? = nil, isUser: @escaping (String) -> Bool? = { _ in nil }) -> LoadResult {
        ConfigurationLoader.load(
            path: path("config/doorward.yaml"), overlay: overlay.map(path), modules: .ofThisRepository,
            isUser: isUser)
    }

    func findings(_ faults: [Fault]) -> [Finding] {
        faults.map { fault in
            let relative = fault.path.hasPrefix(root + "/") ? String(fault.path.dropFirst(root.count + 1)) : fault.path
            return Finding(path: relative, line: fault.line, column: fault.column, code: fault.code)
        }
        .sorted()
    }

    private func clean(_ name: String, _ marked: String) -> String {
        var lines: [String] = []
        // A finding about a whole file (`⟦DW005!⟧`) is due at its begin, if it has one.
        let isEmpty = marked.replacing(/⟦[^⟧]*⟧/, with: "").isEmpty
        for (index, line) in marked.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var text = String(line)
            while let open = text.range(of: "⟦"), let close = text.range(of: "⟧") {
                let column = text[..<open.lowerBound].unicodeScalars.count + 1
                let code = String(text[open.upperBound..<close.lowerBound])
                let isWhole = code.hasSuffix("!")
                due.append(
                    Finding(
                        path: name,
                        line: isWhole ? (isEmpty ? 0 : 1) : index + 1,
                        column: isWhole ? (isEmpty ? 0 : 1) : column,
                        code: isWhole ? String(code.dropLast()) : code
                    )
                )
                text.removeSubrange(open.lowerBound..<close.upperBound)
            }
            lines.append(text)
        }
        return lines.joined(separator: "\n")
    }
}

/// Loads one policy text with marks and holds what was found against them; gives the faults.
@discardableResult
func checkPolicy(
    _ marked: String,
    lists: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> [Fault] {
    let workspace = Workspace()
    try workspace.write("p.yaml", marked)
    for (name, text) in lists { try workspace.write(name, text) }
    let (policy, faults) = PolicyLoader.load(path: workspace.path("p.yaml"))
    #expect(
        workspace.findings(faults) == workspace.due.sorted(),
        "\(faults.map { $0.rendered() }.joined(separator: "\n"))",
        sourceLocation: sourceLocation
    )
    #expect((policy == nil) == faults.contains { $0.severity == .error }, sourceLocation: sourceLocation)
    return faults
}

/// Rules of a policy, with what comes before them.
func rules(_ text: String) -> String { "version: 1\npolicy: p\nsubscription:\n" + text }

/// One rule whose `when` is this.
func when(_ text: String) -> String { rules("  - rule: r\n    when: \(text)\n    then: ask\n") }
