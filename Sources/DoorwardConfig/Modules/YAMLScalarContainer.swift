/// A single value: a text, a number or a boolean.
struct YAMLScalarContainer: SingleValueDecodingContainer {
    let node: YAMLNode
    let codingPath: [any CodingKey]
    let decoding: YAMLDecoding

    private var decoder: YAMLNodeDecoder { YAMLNodeDecoder(node: node, codingPath: codingPath, decoding: decoding) }
    private var what: String { decoder.what }

    func decodeNil() -> Bool { node.isNull }

    func decode(_ type: Bool.Type) throws -> Bool { try found(decoding.reader.boolean(node, what)) }

    /// An empty text in quotes is one; what is to be a name, the type itself must check.
    func decode(_ type: String.Type) throws -> String {
        if case .scalar("", isPlain: false) = node.content { return "" }
        return try found(decoding.reader.text(node, what, limit: 65_536))
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard case .scalar(let text, isPlain: true) = node.content, !node.isNull,
            text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text), number.isFinite
        else {
            throw decoding.fault(
                FaultCatalogue.wrongType, node.mark, "\(what) is a number, without quotes; this is \(node.kind)")
        }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let range = Int(clamping: Number.min)...Int(clamping: Number.max)
        return Number(truncatingIfNeeded: try found(decoding.reader.integer(node, what, in: range)))
    }

    private func found<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw YAMLDecoding.Reported() }
        return value
    }
}
