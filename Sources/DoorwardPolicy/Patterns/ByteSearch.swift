enum ByteSearch {
    /// The first place of a text's bytes in others.
    static func firstRange(of needle: [UInt8], in hay: ArraySlice<UInt8>) -> Range<Int>? {
        guard let head = needle.first else { return hay.startIndex..<hay.startIndex }
        var start = hay.startIndex
        while hay.endIndex - start >= needle.count {
            guard let candidate = hay[start...].firstIndex(of: head) else { return nil }
            let end = candidate + needle.count
            guard end <= hay.endIndex else { return nil }
            if hay[candidate..<end].elementsEqual(needle) { return candidate..<end }
            start = candidate + 1
        }
        return nil
    }
}
