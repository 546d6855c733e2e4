/// A list or a map whose end was not read yet.
struct YAMLFrame {
    enum Content {
        case sequence([YAMLNode])
        case mapping([YAMLEntry], pending: Key?)
    }

    /// A key whose value comes next; it is not kept where it was a fault.
    struct Key {
        var text: String
        var mark: YAMLMark
        var isKept: Bool
    }

    private var content: Content
    let mark: YAMLMark
    let anchor: String?
    private var count = 1
    private var depth = 1
    private var keys: [[UInt8]: YAMLMark] = [:]

    init(content: Content, mark: YAMLMark, anchor: String?) {
        self.content = content
        self.mark = mark
        self.anchor = anchor
    }

    /// The finished value.
    func closed() -> YAMLNode {
        switch content {
        case .sequence(let items): YAMLNode(content: .sequence(items), mark: mark, count: count, depth: depth)
        case .mapping(let entries, _):
            YAMLNode(content: .mapping(entries), mark: mark, count: count, depth: depth)
        }
    }

    /// The value as far as it was read; nothing, where nothing of it was.
    func cut() -> YAMLNode {
        var node = closed()
        switch content {
        case .sequence(let items): if items.isEmpty { node.content = .invalid }
        case .mapping(let entries, _): if entries.isEmpty { node.content = .invalid }
        }
        return node
    }

    /// Forgets what its last entry or item says, where that began on a line.
    mutating func dropLast(onLine line: Int) {
        switch content {
        case .sequence(var items):
            guard let last = items.last, last.mark.line == line else { return }
            items[items.count - 1].content = .invalid
            content = .sequence(items)
        case .mapping(var entries, let pending):
            guard let last = entries.last, last.value.mark.line == line else { return }
            entries[entries.count - 1].value.content = .invalid
            content = .mapping(entries, pending: pending)
        }
    }

    mutating func add(_ node: YAMLNode, of file: SourceFile, faults: FaultCollector) {
        count += node.count
        depth = max(depth, node.depth + 1)
        switch content {
        case .sequence(var items):
            // Taken out first, so that the array is not copied.
            content = .sequence([])
            items.append(node)
            content = .sequence(items)
        case .mapping(let entries, nil):
            let key = key(of: node, file: file, faults: faults)
            content = .mapping(entries, pending: key)
        case .mapping(var entries, let key?):
            content = .mapping([], pending: nil)
            if key.isKept {
                var value = node
                // Nothing has no place of its own: libyaml gives that of whatever follows.
                if case .scalar("", isPlain: true) = node.content { value.mark = key.mark }
                entries.append(YAMLEntry(key: key.text, mark: key.mark, value: value))
            }
            content = .mapping(entries, pending: nil)
        }
    }

    private mutating func key(of node: YAMLNode, file: SourceFile, faults: FaultCollector) -> Key {
        guard case .scalar(let text, let isPlain) = node.content else {
            if case .invalid = node.content {
                return Key(text: "", mark: node.mark, isKept: false)
            }
            faults.report(
                FaultCatalogue.keyNotText,
                in: file,
                at: node.mark,
                "a key must be text; if this is a value, put it in quotes"
            )
            return Key(text: "", mark: node.mark, isKept: false)
        }
        if isPlain, text.utf8.elementsEqual("<<".utf8) {
            faults.report(
                FaultCatalogue.mergeKey,
                in: file,
                at: node.mark,
                "merge keys (<<) are not part of YAML 1.2; write the keys out"
            )
            return Key(text: text, mark: node.mark, isKept: false)
        }
        if let first = keys.updateValue(node.mark, forKey: Array(text.utf8)) {
            keys[Array(text.utf8)] = first
            let shown = file.hides(node.mark.line) ? "" : " '\(text)'"
            faults.report(
                FaultCatalogue.duplicateKey,
                in: file,
                at: node.mark,
                "duplicate key\(shown) at \(node.mark.line):\(node.mark.column), first at \(first.line):\(first.column)"
            )
            return Key(text: text, mark: node.mark, isKept: false)
        }
        return Key(text: text, mark: node.mark, isKept: true)
    }
}
