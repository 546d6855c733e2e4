/// A place in a file: both from 1, columns in Unicode scalars.
struct YAMLMark: Hashable, Sendable {
    var line: Int
    var column: Int

    static let wholeFile = YAMLMark(line: 0, column: 0)
}

/// A value of a YAML file, untyped: what it means follows from its place.
struct YAMLNode {
    enum Content {
        /// Text; plain where it has no quotes and is no block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
        /// Something that was reported already: readers pass over it.
        case invalid
    }

    var content: Content
    var mark: YAMLMark
    /// How many values it has with itself, aliases counted as often as they stand.
    var count: Int
    /// How many levels it has: 1 for a scalar.
    var depth: Int
    /// Whether something of it, at any depth, was reported and left out: what seems missing may be just that.
    var isFaulty = false

    /// Whether it is no value at all: nothing, `~` or `null` without quotes.
    var isNull: Bool {
        guard case .scalar(let text, true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// What it is, for messages.
    var kind: String {
        switch content {
        case .scalar: isNull ? "nothing" : "a text"
        case .sequence: "a list"
        case .mapping: "a map"
        case .invalid: "nothing"
        }
    }
}

extension YAMLNode {
    /// Forgets what a fault cut short: along the last items and values, those of which nothing was read.
    mutating func cut() {
        isFaulty = true
        switch content {
        case .scalar("", isPlain: true): content = .invalid
        case .scalar, .invalid: break
        case .sequence(var items):
            guard var last = items.popLast() else {
                content = .invalid
                return
            }
            last.cut()
            content = .sequence(items + [last])
        case .mapping(var entries):
            guard var last = entries.popLast() else {
                content = .invalid
                return
            }
            last.value.cut()
            content = .mapping(entries + [last])
        }
    }
}

/// A key with its value.
struct YAMLEntry {
    var key: String
    var mark: YAMLMark
    var value: YAMLNode
}

/// What was read of a file.
struct YAMLDocument {
    var root: YAMLNode
    /// False where a fault ended the reading: what is missing may stand behind it.
    var isComplete: Bool
}
