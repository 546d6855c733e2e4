/// Whether two texts have the same UTF-8 bytes, which is not Swift's canonical equivalence of strings.
///
/// Every name, namespace and address of a stanza is compared by this, so it looks at eight bytes at a time, and at none
/// where the lengths differ.
package func sameBytes(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return left.utf8.withContiguousStorageIfAvailable { left in
        right.utf8.withContiguousStorageIfAvailable { sameBytes(left, $0) }
    }?.flatMap { $0 } ?? left.utf8.elementsEqual(right.utf8)
}

/// Of two texts that may be absent: two absent ones are the same.
package func sameBytes(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): sameBytes(left, right)
    case (nil, _?), (_?, nil): false
    }
}

/// Whether two lists have the same texts, byte by byte; their order means nothing, nor does one that is there twice.
package func sameTexts(_ left: [String], _ right: [String]) -> Bool {
    Set(left.map { Array($0.utf8) }) == Set(right.map { Array($0.utf8) })
}

private func sameBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    sameBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
}

package func sameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var index = 0
    while index + 8 <= left.count {
        guard
            left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        else { return false }
        index += 8
    }
    while index < left.count {
        guard left[index] == right[index] else { return false }
        index += 1
    }
    return true
}
