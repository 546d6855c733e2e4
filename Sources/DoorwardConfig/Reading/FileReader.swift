import XMPPCore

/// Turns the values of one file into typed ones, and reports what does not fit.
struct FileReader {
    let file: SourceFile
    let faults: FaultCollector
    /// False where a fault cut the file short: nothing is missed then.
    let isComplete: Bool

    func report(_ kind: FaultKind, _ mark: YAMLMark, _ message: String, suggestion: String? = nil) {
        faults.report(kind, in: file, at: mark, message, suggestion: suggestion)
    }

    /// `file:line:column`, as traces show it.
    func place(_ mark: YAMLMark) -> String { "\(file.path):\(mark.line):\(mark.column)" }

    /// A value of the file for a message: short, and never one that may be a secret.
    func quoted(_ text: String, _ mark: YAMLMark) -> String {
        if file.hidesValue(at: mark) { return "this" }
        return text.unicodeScalars.count > 60 ? "'\(String(text.unicodeScalars.prefix(60)))…'" : "'\(text)'"
    }

    /// A path of the file, relative to the folder that it stands in.
    func resolve(_ path: String) -> String { FilePath.join(FilePath.folder(of: file.openedPath), path) }

    func resolveAbsolute(_ path: String) -> String {
        FilePath.cleaned(FilePath.join(FilePath.folder(of: file.absolutePath), path))
    }

    // MARK: Shapes

    func mapping(_ node: YAMLNode, _ what: String, example: String) -> [YAMLEntry]? {
        switch node.content {
        case .mapping(let entries): return entries
        case .invalid: return nil
        case .scalar, .sequence:
            wrongType(node, "\(what) is a map, such as \(example)")
            return nil
        }
    }

    func sequence(_ node: YAMLNode, _ what: String, example: String) -> [YAMLNode]? {
        switch node.content {
        case .sequence(let items): return items
        case .invalid: return nil
        case .scalar, .mapping:
            wrongType(node, "\(what) is a list, such as \(example)")
            return nil
        }
    }

    func wrongType(_ node: YAMLNode, _ message: String) {
        if node.isNull {
            report(FaultCatalogue.missingValue, node.mark, "no value: \(message); check the indentation")
        } else {
            report(FaultCatalogue.wrongType, node.mark, "\(message); this is \(node.kind)")
        }
    }

    // MARK: Scalars

    /// The exact characters of a text; nothing, `~` and `null` without quotes are none.
    func text(_ node: YAMLNode, _ what: String, limit: Int = 4_096) -> String? {
        switch node.content {
        case .scalar(let text, _) where !node.isNull:
            guard !text.isEmpty else {
                report(FaultCatalogue.missingValue, node.mark, "\(what) must not be empty")
                return nil
            }
            guard text.utf8.count <= limit else {
                report(FaultCatalogue.outOfRange, node.mark, "\(what) has more than \(limit) bytes")
                return nil
            }
            return text
        case .scalar:
            report(FaultCatalogue.missingValue, node.mark, "\(what) has no value; check the indentation")
            return nil
        case .sequence, .mapping:
            report(
                FaultCatalogue.wrongType,
                node.mark,
                "\(what) is a text; this is \(node.kind): if it is meant as it stands, put it in quotes"
            )
            return nil
        case .invalid: return nil
        }
    }

    func integer(_ node: YAMLNode, _ what: String, in range: ClosedRange<Int>) -> Int? {
        if case .invalid = node.content { return nil }
        guard case .scalar(let text, let isPlain) = node.content, !node.isNull else {
            wrongType(node, "\(what) is a whole number")
            return nil
        }
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        let isDecimal = !digits.isEmpty && digits.utf8.allSatisfy(FileReader.isDigit)
        let hasLeadingZero = digits.utf8.count > 1 && digits.utf8.first == UInt8(ascii: "0")
        guard isPlain, isDecimal, !hasLeadingZero else {
            let hint = hasLeadingZero && isDecimal ? "without leading zeros" : "in decimal digits, without quotes"
            report(
                FaultCatalogue.notAnInteger,
                node.mark,
                "\(what) is a whole number \(hint); this is \(quoted(text, node.mark))"
            )
            return nil
        }
        guard let number = Int(text), range.contains(number) else {
            report(
                FaultCatalogue.outOfRange,
                node.mark,
                "\(what) is \(Self.words(of: range)); this is \(quoted(text, node.mark))"
            )
            return nil
        }
        return number
    }

    func duration(_ node: YAMLNode, _ what: String, in range: ClosedRange<Int>) -> Duration? {
        guard let text = text(node, what) else { return nil }
        let units = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        let digits = text.dropLast()
        guard let factor = text.last.flatMap({ units[String($0)] }), !digits.isEmpty,
            digits.utf8.allSatisfy(FileReader.isDigit)
        else {
            report(
                FaultCatalogue.notADuration,
                node.mark,
                "\(what) is a whole number with s, m, h, d or w, such as 30s; this is \(quoted(text, node.mark))"
            )
            return nil
        }
        let (seconds, overflow) = (Int(digits) ?? .max).multipliedReportingOverflow(by: factor)
        guard !overflow, range.contains(seconds) else {
            report(
                FaultCatalogue.outOfRange,
                node.mark,
                "\(what) is from \(range.lowerBound)s to \(range.upperBound)s; this is \(quoted(text, node.mark))"
            )
            return nil
        }
        return .seconds(seconds)
    }

    /// One of some words.
    func choice(_ node: YAMLNode, _ what: String, _ words: [String]) -> String? {
        guard let text = text(node, what) else { return nil }
        if let word = words.first(where: { $0.utf8.elementsEqual(text.utf8) }) { return word }
        report(
            FaultCatalogue.unknownValue,
            node.mark,
            "unknown \(what) \(quoted(text, node.mark)): it is \(FileReader.listed(words))",
            suggestion: EditDistance.nearest(to: text, among: words)
        )
        return nil
    }

    /// A name of ours: shown, typed and compared.
    func name(_ node: YAMLNode, _ what: String, joiners: [Unicode.Scalar] = []) -> String? {
        guard let name = text(node, what, limit: 200) else { return nil }
        let words = name.unicodeScalars.filter { !joiners.contains($0) }
        let isVisible = words.allSatisfy { VisibleText.of([$0]).unicodeScalars.count == 1 } && !words.isEmpty
        guard isVisible, name.first != " ", name.last != " " else {
            report(
                FaultCatalogue.badName,
                node.mark,
                "\(what) must not begin or end with a space, or hold invisible characters"
            )
            return nil
        }
        return name
    }

    /// The name of a policy, a bot or an operator: a word that scripts can pass on.
    func word(_ node: YAMLNode, _ what: String) -> String? {
        guard let name = name(node, what) else { return nil }
        let isWord = name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.+".unicodeScalars.contains(scalar)
        }
        guard isWord, name.first != "-", !name.hasSuffix(".yaml") else {
            report(
                FaultCatalogue.badName,
                node.mark,
                "\(what) is made of letters, digits, '-', '_', '+' and '.', and does not end in .yaml; "
                    + "this is \(quoted(name, node.mark))"
            )
            return nil
        }
        return name
    }

    /// An account's address: with a local part, without a resource.
    func accountAddress(_ node: YAMLNode, _ what: String) -> BareJID? {
        guard let text = text(node, what) else { return nil }
        do {
            let address = try JID(text)
            guard address.resource == nil else {
                report(
                    FaultCatalogue.notAnAddress,
                    node.mark,
                    "\(what) is an address without a resource: leave out the '/' and what follows it"
                )
                return nil
            }
            guard address.bare.local != nil else {
                report(
                    FaultCatalogue.notAnAddress,
                    node.mark,
                    "\(what) is the address of an account, name@\(address.bare.domain); "
                        + "this is \(quoted(text, node.mark))"
                )
                return nil
            }
            return address.bare
        } catch {
            report(FaultCatalogue.notAnAddress, node.mark, "\(quoted(text, node.mark)) is \(error)")
            return nil
        }
    }

    static func listed(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
