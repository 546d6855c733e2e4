/// Reads a file's text to untyped values, within bounds, by libyaml's events.
struct YAMLReader {
    static let depthLimit = 128
    static let nodeLimit = 50_000
    static let aliasLimit = 100
    static let anchorLimit = 100

    private let file: SourceFile
    private let faults: FaultCollector
    private var frames: [YAMLFrame] = []
    private var root: YAMLNode?
    private var anchors: [[UInt8]: YAMLNode] = [:]
    private var anchorCount = 0
    private var aliasCount = 0
    private var nodeCount = 0
    /// Where the list or map began that ended last.
    private var lastClosed: YAMLMark?
    /// The last value, where it goes over several lines: it may have swallowed them.
    private var lastSpan: ScalarSpan?

    /// Reads a file; nil where there is nothing that could be checked further.
    static func read(_ file: SourceFile, into faults: FaultCollector) -> YAMLDocument? {
        var reader = YAMLReader(file: file, faults: faults)
        return reader.document()
    }

    private init(file: SourceFile, faults: FaultCollector) {
        self.file = file
        self.faults = faults
    }

    private mutating func document() -> YAMLDocument? {
        let (text, isWhole) = TextPrescan.usablePart(of: file, faults: faults)
        guard let source = YAMLEventSource(text) else {
            faults.report(FaultCatalogue.yamlSyntax, in: file, at: .wholeFile, "not enough memory to read it")
            return nil
        }
        let cutLine = isWhole ? Int.max : text.count { $0 == UInt8(ascii: "\n") } + 1
        let isComplete = readEvents(source, cutLine: cutLine)
        while let frame = frames.popLast() { place(frame.closed(), anchor: nil) }
        if !isComplete || !isWhole { root?.cut() }
        guard let root else {
            if isComplete, isWhole {
                faults.report(FaultCatalogue.emptyFile, in: file, at: .wholeFile, "the file is empty")
            }
            return nil
        }
        return YAMLDocument(root: root, isComplete: isComplete && isWhole)
    }

    /// Returns false where something ended the reading.
    private mutating func readEvents(_ source: YAMLEventSource, cutLine: Int) -> Bool {
        while true {
            do throws(YAMLProblem) {
                let (event, mark, end) = try source.next()
                noteSpan(of: event, from: mark, to: end)
                if case .streamEnd = event { return true }
                guard take(event, at: mark), !faults.isFull(file) else { return false }
            } catch {
                // A cut text ends wherever its fault is: that fault is told already.
                if error.mark.line < cutLine {
                    let fault = error.fault(in: file, lastClosed: lastClosed, lastSpan: lastSpan)
                    faults.report(fault.kind, in: file, at: fault.mark, fault.message)
                }
                // What stands on the line of the fault may be half of something.
                if !frames.isEmpty {
                    frames[frames.count - 1].dropLast(onLine: error.mark.line)
                    if let lastSpan, lastSpan.end.line >= error.mark.line {
                        frames[frames.count - 1].dropLast(onLine: lastSpan.start.line)
                    }
                }
                return false
            }
        }
    }

    private mutating func noteSpan(of event: YAMLEvent, from start: YAMLMark, to end: YAMLMark) {
        switch event {
        case .scalar:
            guard end.line > start.line else {
                lastSpan = nil
                return
            }
            let first = file.scalar(at: start)
            lastSpan = ScalarSpan(start: start, end: end, isQuoted: first == "\"" || first == "'")
        case .alias, .sequenceStart, .mappingStart, .documentStart: lastSpan = nil
        case .collectionEnd, .streamEnd, .other: break
        }
    }

    private mutating func take(_ event: YAMLEvent, at mark: YAMLMark) -> Bool {
        switch event {
        case .documentStart(let hasDirectives):
            if hasDirectives {
                faults.report(FaultCatalogue.directive, in: file, at: mark, "directives (%) are not used; remove it")
            }
            guard root == nil else {
                faults.report(
                    FaultCatalogue.secondDocument,
                    in: file,
                    at: mark,
                    "a second document begins here; one file is one document"
                )
                return false
            }
            return true
        case .alias(let name): return takeAlias(name, at: mark)
        case .scalar(let text, let isPlain, let anchor, let hasTag):
            return takeScalar(text, isPlain: isPlain, anchor: anchor, hasTag: hasTag, at: mark)
        case .sequenceStart(let anchor, let hasTag):
            return open(.sequence([]), anchor: anchor, hasTag: hasTag, at: mark)
        case .mappingStart(let anchor, let hasTag):
            return open(.mapping([], pending: nil), anchor: anchor, hasTag: hasTag, at: mark)
        case .collectionEnd:
            if let frame = frames.popLast() {
                lastClosed = frame.mark
                place(frame.closed(), anchor: frame.anchor)
            }
            return true
        case .streamEnd, .other: return true
        }
    }

    private mutating func takeScalar(
        _ bytes: [UInt8],
        isPlain: Bool,
        anchor: String?,
        hasTag: Bool,
        at mark: YAMLMark
    ) -> Bool {
        guard count(1, at: mark), countAnchor(anchor, at: mark) else { return false }
        var node = YAMLNode(
            content: .scalar(String(decoding: bytes, as: UTF8.self), isPlain: isPlain),
            mark: mark,
            count: 1,
            depth: 1
        )
        if bytes.contains(0) {
            faults.report(FaultCatalogue.controlCharacter, in: file, at: mark, "the value has a NUL character")
            node.content = .invalid
        }
        if reportTag(hasTag, at: mark) { node.content = .invalid }
        if case .invalid = node.content { node.isFaulty = true }
        place(node, anchor: anchor)
        return true
    }

    private mutating func open(
        _ content: YAMLFrame.Content,
        anchor: String?,
        hasTag: Bool,
        at mark: YAMLMark
    ) -> Bool {
        guard count(1, at: mark), countAnchor(anchor, at: mark) else { return false }
        let isFaulty = reportTag(hasTag, at: mark)
        guard frames.count < YAMLReader.depthLimit else { return tooDeep(at: mark) }
        frames.append(YAMLFrame(content: content, mark: mark, anchor: anchor, isFaulty: isFaulty))
        return true
    }

    private mutating func takeAlias(_ name: String, at mark: YAMLMark) -> Bool {
        aliasCount += 1
        guard aliasCount <= YAMLReader.aliasLimit else {
            faults.report(
                FaultCatalogue.yamlLimit,
                in: file,
                at: mark,
                "more than \(YAMLReader.aliasLimit) aliases ('*name')"
            )
            return false
        }
        let shown = file.hides(mark.line) ? "" : " '\(name)'"
        var node = YAMLNode(content: .invalid, mark: mark, count: 1, depth: 1, isFaulty: true)
        if frames.contains(where: { $0.anchor.map { $0.utf8.elementsEqual(name.utf8) } ?? false }) {
            faults.report(
                FaultCatalogue.aliasToOpenNode,
                in: file,
                at: mark,
                "the alias\(shown) stands inside what it names"
            )
        } else if let known = anchors[Array(name.utf8)] {
            node = known
        } else {
            faults.report(
                FaultCatalogue.unknownAlias,
                in: file,
                at: mark,
                "'*' begins an alias, and there is no anchor\(shown); put the value in quotes"
            )
        }
        guard count(node.count, at: mark) else { return false }
        guard frames.count + node.depth <= YAMLReader.depthLimit else { return tooDeep(at: mark) }
        place(node, anchor: nil)
        return true
    }

    /// Puts a finished value where it belongs.
    private mutating func place(_ node: YAMLNode, anchor: String?) {
        if let anchor { anchors[Array(anchor.utf8)] = node }
        guard !frames.isEmpty else {
            root = node
            return
        }
        frames[frames.count - 1].add(node, of: file, faults: faults)
    }

    private mutating func count(_ nodes: Int, at mark: YAMLMark) -> Bool {
        nodeCount += nodes
        guard nodeCount > YAMLReader.nodeLimit else { return true }
        faults.report(
            FaultCatalogue.yamlLimit,
            in: file,
            at: mark,
            "more than \(YAMLReader.nodeLimit) values, aliases counted; put long lists into a list file"
        )
        return false
    }

    private mutating func countAnchor(_ anchor: String?, at mark: YAMLMark) -> Bool {
        guard anchor != nil else { return true }
        anchorCount += 1
        guard anchorCount > YAMLReader.anchorLimit else { return true }
        faults.report(
            FaultCatalogue.yamlLimit,
            in: file,
            at: mark,
            "more than \(YAMLReader.anchorLimit) anchors ('&name')"
        )
        return false
    }

    private func tooDeep(at mark: YAMLMark) -> Bool {
        faults.report(
            FaultCatalogue.yamlLimit,
            in: file,
            at: mark,
            "lists and maps inside each other to a depth over \(YAMLReader.depthLimit)"
        )
        return false
    }

    private func reportTag(_ hasTag: Bool, at mark: YAMLMark) -> Bool {
        guard hasTag else { return false }
        faults.report(
            FaultCatalogue.tag,
            in: file,
            at: mark,
            "'!' begins a tag, and tags are not used; put the value in quotes"
        )
        return true
    }
}
