/// A duration on the command line, written as in the files: `30m`, `12h`, `7d`, `2w`.
enum DurationText {
    static func seconds(_ text: String, in range: ClosedRange<Int>) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        let digits = text.dropLast()
        guard let factor = text.last.flatMap({ units[$0] }), !digits.isEmpty,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let count = Int(digits)
        else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: factor)
        return !overflow && range.contains(seconds) ? seconds : nil
    }
}
