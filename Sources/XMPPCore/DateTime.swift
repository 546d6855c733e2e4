/// The seconds since 1970 of a moment as XMPP writes it (XEP-0082: `2026-11-30T12:00:00Z`), or nil where it is written
/// otherwise or is no moment; fractions are left out.
///
/// Years of four digits, so no value is out of bounds.
package func seconds(ofDateTime text: String) -> Int64? {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>, in values: ClosedRange<Int>) -> Int? {
        guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let value = bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return values.contains(value) ? value : nil
    }
    func has(_ mark: Unicode.Scalar, at places: Int...) -> Bool {
        places.allSatisfy { $0 < bytes.count && bytes[$0] == UInt8(ascii: mark) }
    }
    guard has("-", at: 4, 7), has("T", at: 10), has(":", at: 13, 16),
        let year = number(0..<4, in: 1...9999), let month = number(5..<7, in: 1...12),
        let day = number(8..<10, in: 1...31), let hour = number(11..<13, in: 0...23),
        // A leap second counts as the next one.
        let minute = number(14..<16, in: 0...59), let second = number(17..<19, in: 0...60)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    guard day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] else { return nil }
    var end = 19
    if has(".", at: end) {
        end += 1
        let digits = bytes[end...].prefix { (0x30...0x39).contains($0) }.count
        guard digits > 0 else { return nil }
        end += digits
    }
    var offset = 0
    if has("Z", at: end) {
        end += 1
    } else {
        guard has("+", at: end) || has("-", at: end), has(":", at: end + 3),
            let hours = number(end + 1..<end + 3, in: 0...23), let minutes = number(end + 4..<end + 6, in: 0...59)
        else { return nil }
        offset = (hours * 60 + minutes) * (has("-", at: end) ? -60 : 60)
        end += 6
    }
    guard end == bytes.count else { return nil }
    // Days since 1970, counted in years that begin with March.
    let shifted = month <= 2 ? year - 1 : year
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
    return Int64(days * 86_400 + hour * 3600 + minute * 60 + second - offset)
}
