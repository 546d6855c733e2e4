/// Reads a list file: one value a line, `#` begins a comment.
enum ListFileReader {
    /// The entries, and whether no fault cut the file short.
    static func entries(of file: SourceFile, faults: FaultCollector) -> (entries: [ListEntry], isWhole: Bool) {
        let (text, isWhole) = TextPrescan.usablePart(of: file, faults: faults)
        var entries: [ListEntry] = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard let range = value(in: line) else { continue }
            let column = String(decoding: line[line.startIndex..<range.lowerBound], as: UTF8.self).unicodeScalars.count
            entries.append(
                ListEntry(
                    text: String(decoding: line[range], as: UTF8.self),
                    mark: YAMLMark(line: index + 1, column: column + 1)
                )
            )
        }
        return (entries, isWhole)
    }

    /// The value of a line without spaces around it; `#` begins a comment at the begin and behind a space.
    private static func value(in line: ArraySlice<UInt8>) -> Range<Int>? {
        var end = line.endIndex
        for index in line.indices where line[index] == UInt8(ascii: "#") {
            if index == line.startIndex || isSpace(line[index - 1]) {
                end = index
                break
            }
        }
        var start = line.startIndex
        while start < end, isSpace(line[start]) { start += 1 }
        while end > start, isSpace(line[end - 1]) { end -= 1 }
        return start < end ? start..<end : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
