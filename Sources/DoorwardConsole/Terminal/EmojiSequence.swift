/// Follows a text and tells which characters belong to the picture before them (UTS #51 section 1.4.9).
///
/// A variation selector belongs to the emoji right before it, and a joiner to two emoji around it. Anywhere else both could
/// hide in a text, and belong to nothing.
struct EmojiSequence {
    static let joiner: Unicode.Scalar = "\u{200D}"
    private static let selector: Unicode.Scalar = "\u{FE0F}"
    /// The longest sequences in use have ten characters: a text of joiners alone is no picture.
    private static let limit = 16

    private enum State {
        /// No picture, or one that is over.
        case outside
        /// Behind an emoji, with or without its colour.
        case emoji
        case selected
        case joined
    }

    private var state = State.outside
    private var length = 0

    /// Takes the next character.
    ///
    /// - Parameters:
    ///   - scalar: The character.
    ///   - next: The one behind it.
    /// - Returns: Whether it belongs to what came before it.
    mutating func takes(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        let isJoined = state == .joined
        length = state == .outside ? 1 : length + 1
        switch (state, scalar) {
        case (.emoji, Self.selector):
            state = .selected
            return true
        case (.emoji, Self.joiner), (.selected, Self.joiner):
            guard let next, Self.isPicture(next), length < Self.limit else { break }
            state = .joined
            return true
        case (_, _) where scalar.properties.isEmojiModifier && state == .emoji: return true
        case (_, _) where Self.isPicture(scalar):
            state = .emoji
            return isJoined
        case (_, _): break
        }
        state = .outside
        return false
    }

    /// Whether it is drawn as a picture, or can be: not the digits, which are emoji by name.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0xFF && scalar.properties.isEmoji && !scalar.properties.isEmojiModifier
    }
}
