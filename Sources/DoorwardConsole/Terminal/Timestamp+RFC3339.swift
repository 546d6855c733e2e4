package import XMPPCore

extension Timestamp {
    /// Reads what `description` writes: RFC 3339 in UTC, with or without a fraction of a second.
    ///
    /// - Returns: Nil for anything else.
    package init?(rfc3339 text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "T"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].last == UInt8(ascii: "Z") else { return nil }
        let clock = parts[1].dropLast().split(separator: UInt8(ascii: "."), maxSplits: 1)
        guard let first = clock.first, let date = numbers(parts[0], separator: UInt8(ascii: "-"), lengths: [4, 2, 2]),
            let time = numbers(first, separator: UInt8(ascii: ":"), lengths: [2, 2, 2]),
            (1...12).contains(date[1]), (1...31).contains(date[2]), time[0] < 24, time[1] < 60, time[2] < 61
        else { return nil }
        var fraction: Int64 = 0
        if clock.count == 2 {
            let digits = Substring(clock[1]).prefix(3)
            guard let number = Int64(digits), number >= 0 else { return nil }
            fraction = (0..<(3 - digits.count)).reduce(number) { value, _ in value * 10 }
        }
        let seconds = daysSinceEpoch(date[0], date[1], date[2]) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
        self.init(milliseconds: seconds * 1000 + fraction)
    }
}

private func numbers(_ text: Substring.UTF8View, separator: UInt8, lengths: [Int]) -> [Int64]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == lengths.count else { return nil }
    var numbers: [Int64] = []
    for (part, length) in zip(parts, lengths) {
        guard part.count == length, part.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(Substring(part))
        else { return nil }
        numbers.append(number)
    }
    return numbers
}

/// The day number of a Gregorian date, counted from 1 March so that the leap day is a year's last.
private func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
