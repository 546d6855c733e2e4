import DoorwardRuntime

extension Unicode.Scalar {
    /// Whether it is drawn over the character before it.
    var isCombining: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The columns that a terminal gives it: 0, 1 or 2 (the wide ranges of Unicode's East Asian Width, by block).
    var columns: Int {
        if value < 0x300 { return 1 }
        if isCombining || self == EmojiSequence.joiner { return 0 }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

/// The text with everything unsafe shown as `\u{…}` instead of sent.
///
/// A text that itself spells `\u{` gets its backslash doubled, so that what is shown has one reading only. Of marks
/// that stack on one character four are drawn and the rest is spelled out: more climb into the lines around. What only
/// joins emoji to one picture, or asks for one, is harmless between them and is sent (UTS #51 section 1.4.9).
package func visible(_ text: String) -> String { visiblePieces(text).joined() }

/// The same, piece by piece: what is one is not to be torn apart.
func visiblePieces(_ text: String) -> [String] {
    var shown: [String] = []
    var marks = 0
    var picture = EmojiSequence()
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
        marks = scalar.isCombining ? marks + 1 : 0
        let isFirst = index == 0
        let next = index + 1 < scalars.count ? scalars[index + 1] : nil
        if picture.takes(scalar, before: next) {
            shown[shown.count - 1].unicodeScalars.append(scalar)
        } else if scalar.isUnsafeToShow || marks > 4 || (scalar.isCombining && isFirst) {
            shown.append("\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}")
        } else if scalar == "\\", scalars[index...].dropFirst().starts(with: ["u", "{"]) {
            shown.append("\\\\")
        } else {
            shown.append(String(Character(scalar)))
        }
    }
    return shown
}
