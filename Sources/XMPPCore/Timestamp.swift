/// A moment of the wall clock, in whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the epoch.
    public let milliseconds: Int64

    /// A moment, so many milliseconds after the epoch.
    ///
    /// - Parameter milliseconds: Negative before 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, such as `2026-01-05T12:00:00.000Z`.
    public var description: String {
        let milliseconds = self.milliseconds
        let days = floorDivide(milliseconds, by: 86_400_000)
        // Not `milliseconds - days * 86_400_000`, which overflows at the begin of the range.
        let remainder = milliseconds % 86_400_000
        let rest = remainder < 0 ? remainder + 86_400_000 : remainder
        let (year, month, day) = civil(fromDays: days)
        let hour = rest / 3_600_000
        let minute = rest / 60_000 % 60
        let second = rest / 1000 % 60
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(hour, 2) + ":"
            + padded(minute, 2) + ":" + padded(second, 2) + "." + padded(rest % 1000, 3) + "Z"
    }
}

private func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}

private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (value < 0 ? "-" : "") + zeros + digits
}

/// The Gregorian date of a day number, by counting from 1 March of year 0 in cycles of 400 years (146,097 days).
private func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}
