/// The values of a file that may be secrets, once its structure is known.
///
/// Where a password comes from (`{ file: … }` and the like) is no secret; anything else under such a key may be one.
struct SecretValues {
    /// Where such a value, or something inside it, begins.
    private(set) var marks: Set<YAMLMark> = []
    /// The lines that they stand on, with that of their key.
    private(set) var lines: Set<Int> = []

    init(of root: YAMLNode) { visit(root) }

    private mutating func visit(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text, _):
            // A text such as `password hunter2`, whose colon is missing.
            if SecretLines.mentionsSecret(text.utf8) { _ = hide(node) }
        case .sequence(let items): for item in items { visit(item) }
        case .mapping(let entries):
            for entry in entries {
                guard SecretLines.mentionsSecret(entry.key.utf8) else {
                    visit(entry.value)
                    continue
                }
                guard !SecretShape.isSource(entry.value) else { continue }
                // A value may begin below its key; an alias stands where its anchor is.
                let last = max(hide(entry.value), entry.mark.line)
                lines.formUnion(entry.mark.line...last)
            }
        case .invalid: break
        }
    }

    /// Returns the last line that something of the value begins on.
    private mutating func hide(_ node: YAMLNode) -> Int {
        marks.insert(node.mark)
        lines.insert(node.mark.line)
        var last = node.mark.line
        switch node.content {
        case .scalar, .invalid: break
        case .sequence(let items): for item in items { last = max(last, hide(item)) }
        case .mapping(let entries):
            for entry in entries {
                marks.insert(entry.mark)
                lines.insert(entry.mark.line)
                last = max(last, entry.mark.line, hide(entry.value))
            }
        }
        return last
    }
}

/// What the source of a password looks like.
enum SecretShape {
    static let keys = ["file", "env", "credential", "command"]

    /// Whether a value says where a password comes from, in the form that each way has.
    static func isSource(_ node: YAMLNode) -> Bool {
        guard case .mapping(let entries) = node.content, !entries.isEmpty else { return false }
        return entries.allSatisfy { entry in
            switch (entry.key, entry.value.content) {
            case ("file", .scalar): true
            case ("env", .scalar(let name, _)): isVariable(name)
            case ("credential", .scalar(let name, _)): isCredential(name)
            case ("command", .sequence(let words)): words.allSatisfy(\.isScalar)
            case (_, _): false
            }
        }
    }

    /// Whether a text can be the name of a variable that a shell or a unit sets.
    static func isVariable(_ name: String) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isDigit(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
    }

    /// Whether a text can be the name of a systemd credential: that of a file.
    static func isCredential(_ name: String) -> Bool {
        !name.utf8.contains(UInt8(ascii: "/")) && name != "." && name != ".."
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension YAMLNode {
    fileprivate var isScalar: Bool {
        if case .scalar = content { true } else { false }
    }
}
