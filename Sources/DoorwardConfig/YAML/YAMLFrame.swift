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
    private var isFaulty: Bool
    private var keys: [[UInt8]: YAMLMark] = [:]

    init(content: Content, mark: YAMLMark, anchor: String?, isFaulty: Bool) {
        self.content = content
        self.isFaulty = isFaulty
        self.mark = mark
        self.anchor = anchor
    }

    /// The value, finished or as far as it was read.
    func closed() -> YAMLNode {
        let content: YAMLNode.Content =
            switch content {
            case .sequence(let items): .sequence(items)
            case .mapping(let entries, _): .mapping(entries)
            }
        return YAMLNode(content: content, mark: mark, count: count, depth: depth, isFaulty: isFaulty)
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
        if node.isFaulty { isFaulty = true }
        switch content {
        case .sequence(var items):
            // Taken out first, so that the array is not copied.
            content = .sequence([])
            items.append(node)
            content = .sequence(items)
        case .mapping(let entries, nil):
            let key = key(of: node, file: file, faults: faults)
            if !key.isKept { isFaulty = true }
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
