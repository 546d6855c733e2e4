extension String {
    /// The text as it is sorted and searched: NFKC with full case folding by the tables that addresses are prepared with, as
    /// bytes; what libunistring cannot fold stays as it is.
    ///
    /// Its cost is linear in the text. Of a long one only the beginning is folded.
    ///
    /// - Parameter limit: Bytes that are looked at, the last whole characters of them.
    /// - Returns: Bytes of UTF-8, which are compared as such.
    package func folded(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Swift.min(utf8.count, limit))
        for byte in utf8.prefix(limit) {
            guard byte < 0x80 else { return foldedBeyondASCII(limit) }
            bytes.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        }
        return bytes
    }

    private func foldedBeyondASCII(_ limit: Int) -> [UInt8] {
        var text = self
        if utf8.count > limit {
            var kept = ""
            var count = 0
            for scalar in unicodeScalars {
                count += UTF8.width(scalar)
                guard count <= limit else { break }
                kept.unicodeScalars.append(scalar)
            }
            text = kept
        }
        return Unistring.nfkcCaseFold(text).map { Array($0.utf8) } ?? Array(text.utf8)
    }
}
