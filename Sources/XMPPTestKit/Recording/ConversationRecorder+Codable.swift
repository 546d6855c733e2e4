import XMPPCore

/// A recording in a file.
extension ConversationRecorder.Piece: Codable {
    private enum CodingKeys: String, CodingKey {
        case side, connection, nanoseconds, text, base64
    }

    /// Reads what `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        side = try values.decode(ConversationRecorder.Side.self, forKey: .side)
        connection = try values.decode(Int.self, forKey: .connection)
        time = .nanoseconds(try values.decodeIfPresent(Int64.self, forKey: .nanoseconds) ?? 0)
        guard let base64 = try values.decodeIfPresent(String.self, forKey: .base64) else {
            bytes = Array(try values.decode(String.self, forKey: .text).utf8)
            return
        }
        guard let decoded = Base64.decode(base64) else {
            throw DecodingError.dataCorruptedError(forKey: .base64, in: values, debugDescription: "no Base64")
        }
        bytes = decoded
    }

    /// Writes the bytes as text where they are text, so that a recording can be read, and changed by hand.
    ///
    /// **A recording holds what proves passwords and tokens**: keep those of accounts that were made for a test.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(side, forKey: .side)
        try values.encode(connection, forKey: .connection)
        let (seconds, attoseconds) = time.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        try values.encode(isTooLong ? .max : whole + attoseconds / 1_000_000_000, forKey: .nanoseconds)
        // A write may end within a character.
        if let text = String(validating: bytes, as: UTF8.self) {
            try values.encode(text, forKey: .text)
        } else {
            try values.encode(Base64.encode(bytes), forKey: .base64)
        }
    }
}

extension ConversationRecorder.Side: Codable {}
