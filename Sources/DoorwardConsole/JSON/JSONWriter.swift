import DoorwardRuntime

extension JSONValue {
    /// The document in one line, without a line end.
    ///
    /// Every character that a terminal could act on or that hides (controls, bidirectional marks, line separators) is
    /// written as an escape, so that printing a document is as safe as printing words.
    package var oneLine: String {
        var text = ""
        write(into: &text, indent: nil)
        return text
    }

    /// The document over several lines, indented by two blanks, without a last line end.
    package var indented: String {
        var text = ""
        write(into: &text, indent: 0)
        return text
    }

    private func write(into text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += String(number)
        // JSON has no other numbers than finite ones.
        case .number(let number): text += number.isFinite ? String(number) : "null"
        case .string(let string): writeJSONString(string, into: &text)
        case .array(let values):
            writeGroup("[", "]", values, into: &text, indent: indent) { value, text, indent in
                value.write(into: &text, indent: indent)
            }
        case .object(let members):
            writeGroup("{", "}", members, into: &text, indent: indent) { member, text, indent in
                writeJSONString(member.key, into: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(into: &text, indent: indent)
            }
        }
    }
}

private func writeGroup<Item>(
    _ open: String,
    _ close: String,
    _ items: [Item],
    into text: inout String,
    indent: Int?,
    each: (Item, inout String, Int?) -> Void
) {
    text += open
    guard !items.isEmpty else {
        text += close
        return
    }
    let inner = indent.map { $0 + 2 }
    for (index, item) in items.enumerated() {
        if index > 0 { text += "," }
        writeLineBreak(into: &text, indent: inner)
        each(item, &text, inner)
    }
    writeLineBreak(into: &text, indent: indent)
    text += close
}

private func writeLineBreak(into text: inout String, indent: Int?) {
    guard let indent else { return }
    text += "\n" + String(repeating: " ", count: indent)
}

private func writeJSONString(_ string: String, into text: inout String) {
    text += "\""
    // Nearly every text is plain, and one copy of a plain one is some twenty times as fast: long lists are written on
    // an event loop.
    if string.utf8.allSatisfy(isPlain) {
        text += string + "\""
        return
    }
    for scalar in string.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _ where scalar.isUnsafeToShow:
            for unit in String(Character(scalar)).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        default: text.unicodeScalars.append(scalar)
        }
    }
    text += "\""
}

/// Printable ASCII that stands for itself in a JSON string.
private func isPlain(_ byte: UInt8) -> Bool {
    (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}
