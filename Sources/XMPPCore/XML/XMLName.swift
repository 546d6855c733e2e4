// What may be written as a name: all that the reader takes, and nothing else.
extension String {
    /// Whether it is a name without a colon (Namespaces in XML section 3).
    var isXMLName: Bool {
        let isPlain = utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).isPlainName }
        return isPlain == true || isUnusualName
    }

    /// As that, where it is not plain ASCII (XML section 2.3, in the fifth edition as libxml2 has it).
    private var isUnusualName: Bool {
        guard let first = unicodeScalars.first, first.beginsXMLName else { return false }
        return unicodeScalars.allSatisfy(\.continuesXMLName)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether it is a name of ASCII: nearly every one, each of which is looked at when it is written.
    var isPlainName: Bool {
        guard let first, first.beginsPlainName else { return false }
        return allSatisfy(\.isInPlainName)
    }
}

extension UInt8 {
    /// As `continuesPlainName`, by a table of bits.
    fileprivate var isInPlainName: Bool {
        // `-`, `.` and digits; letters and `_`.
        let bits: UInt64 = self < 0x40 ? 0x03FF_6000_0000_0000 : self < 0x80 ? 0x07FF_FFFE_87FF_FFFE : 0
        return bits &>> UInt64(self & 0x3F) & 1 != 0
    }
}

extension Unicode.Scalar {
    fileprivate var beginsXMLName: Bool {
        switch value {
        case 0x00...0x7F: UInt8(truncatingIfNeeded: value).beginsPlainName
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        case _: false
        }
    }

    fileprivate var continuesXMLName: Bool {
        switch value {
        case 0x00...0x7F: UInt8(truncatingIfNeeded: value).continuesPlainName
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        case _: beginsXMLName
        }
    }
}
