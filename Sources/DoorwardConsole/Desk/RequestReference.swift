/// A request as an operator names it: `17`, or `17@2` for the version that was seen.
package struct RequestReference: Hashable, Sendable {
    package var id: Int64
    /// Nil means the current one.
    package var version: Int?

    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let id = positive(first) else { return nil }
        self.id = id
        if parts.count == 2 {
            guard let version = positive(parts[1]) else { return nil }
            self.version = Int(version)
        }
    }
}

/// The numbers of history rows are written `h123`, so that they are not taken for those of requests.
package enum HistoryID {
    /// The number of `h123`; the bare number is taken too.
    package static func number(_ text: String) -> Int64? {
        let bytes = text.utf8
        return positive(bytes.first == UInt8(ascii: "h") ? bytes.dropFirst() : bytes[...])
    }

    package static func text(_ number: Int64) -> String { "h\(number)" }
}

private func positive(_ text: Substring.UTF8View) -> Int64? {
    guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(Substring(text)),
        number > 0
    else { return nil }
    return number
}
