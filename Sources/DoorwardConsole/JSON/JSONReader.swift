/// Reads one JSON document (RFC 8259) from bytes of a peer.
///
/// Depth is bounded here, size by the caller.
package struct JSONReader {
    /// How deep arrays and objects may nest.
    ///
    /// Our own documents need 40: conditions nest to a depth of 32.
    static let depthLimit = 128

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a whole document.
    ///
    /// - Parameter bytes: UTF-8, with nothing but white space around the document.
    /// - Returns: The document.
    /// - Throws: `JSONError` with the place of the first thing that is wrong.
    package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes)
        reader.skipSpace()
        let value = try reader.value()
        reader.skipSpace()
        guard reader.peek() == nil else { throw reader.error(.trailing) }
        return value
    }

    private func error(_ code: JSONError.Code) -> JSONError { JSONError(code: code, offset: position) }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() throws(JSONError) -> UInt8 {
        guard let byte = peek() else { throw error(.syntax) }
        position += 1
        return byte
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func expect(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for byte in "\(word)".utf8 {
            guard peek() == byte else { throw error(.syntax) }
            position += 1
        }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "{"): return try nested { reader throws(JSONError) in try reader.object() }
        case UInt8(ascii: "["): return try nested { reader throws(JSONError) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try expect("true", .bool(true))
        case UInt8(ascii: "f"): return try expect("false", .bool(false))
        case UInt8(ascii: "n"): return try expect("null", .null)
        case .some, .none: return try number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONReader) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < Self.depthLimit else { throw error(.tooDeep) }
        depth += 1
        position += 1
        skipSpace()
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [JSONMember] = []
        var keys: Set<[UInt8]> = []
        if peek() == UInt8(ascii: "}") {
            position += 1
            return .object([])
        }
        while true {
            skipSpace()
            let key = try string()
            guard keys.insert(Array(key.utf8)).inserted else { throw error(.duplicateKey) }
            skipSpace()
            guard try next() == UInt8(ascii: ":") else { throw error(.syntax) }
            skipSpace()
            members.append(JSONMember(key, try value()))
            skipSpace()
            switch try next() {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "}"): return .object(members)
            default: throw error(.syntax)
            }
        }
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var values: [JSONValue] = []
        if peek() == UInt8(ascii: "]") {
            position += 1
            return .array([])
        }
        while true {
            skipSpace()
            values.append(try value())
            skipSpace()
            switch try next() {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "]"): return .array(values)
            default: throw error(.syntax)
            }
        }
    }

    private mutating func string() throws(JSONError) -> String {
        guard try next() == UInt8(ascii: "\"") else { throw error(.syntax) }
        var content: [UInt8] = []
        while true {
            let byte = try next()
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else { throw error(.notUTF8) }
                return text
            case UInt8(ascii: "\\"): try escape(into: &content)
            case 0x00..<0x20: throw error(.syntax)
            default: content.append(byte)
            }
        }
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        switch try next() {
        case UInt8(ascii: "\""): content.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): content.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): content.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            var code = try fourDigits()
            // A pair of surrogates stands for one character (RFC 8259 section 7); half a pair stands for none.
            if (0xD800..<0xDC00).contains(code) {
                guard try next() == UInt8(ascii: "\\"), try next() == UInt8(ascii: "u") else { throw error(.syntax) }
                let low = try fourDigits()
                guard (0xDC00..<0xE000).contains(low) else { throw error(.syntax) }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw error(.syntax) }
            content.append(contentsOf: String(Character(scalar)).utf8)
        default: throw error(.syntax)
        }
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            let byte = try next()
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { throw error(.syntax) }
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isWhole = true
        if peek() == UInt8(ascii: "-") { position += 1 }
        let leadsWithZero = peek() == UInt8(ascii: "0")
        let whole = try digits()
        guard !(leadsWithZero && whole > 1) else { throw error(.syntax) }
        if peek() == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            _ = try digits()
        }
        if let byte = peek(), byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            _ = try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw error(.syntax) }
        return .number(number)
    }

    private mutating func digits() throws(JSONError) -> Int {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw error(.syntax) }
        return position - start
    }
}
