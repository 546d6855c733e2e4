/// A decoder over one value of a file.
struct YAMLNodeDecoder: Decoder {
    let node: YAMLNode
    let codingPath: [any CodingKey]
    let decoding: YAMLDecoding

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let entries: [YAMLEntry]
        switch node.content {
        case .mapping(let found): entries = found
        // Nothing is a map without entries, so that what needs no key need not be written.
        case .scalar where node.isNull: entries = []
        case .scalar, .sequence, .invalid:
            throw decoding.fault(
                FaultCatalogue.wrongType, node.mark,
                "\(what) must be a map of keys and values, such as { key: value }; this is \(node.kind)")
        }
        decoding.opened(entries, at: node.mark)
        return KeyedDecodingContainer(
            YAMLKeyedContainer<Key>(entries: entries, mark: node.mark, codingPath: codingPath, decoding: decoding))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .sequence(let items) = node.content else {
            throw decoding.fault(
                FaultCatalogue.wrongType, node.mark,
                "\(what) must be a list, such as [first, second]; this is \(node.kind)")
        }
        return YAMLUnkeyedContainer(items: items, mark: node.mark, codingPath: codingPath, decoding: decoding)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        YAMLScalarContainer(node: node, codingPath: codingPath, decoding: decoding)
    }

    /// What it is, for messages.
    var what: String {
        guard let last = codingPath.last else { return decoding.what }
        return last.intValue.map { "item \($0 + 1)" } ?? "'\(last.stringValue)'"
    }

    /// A value of any type that has its own way.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Duration.self {
            let duration = decoding.reader.duration(node, what, in: 0...315_360_000)
            guard let value = duration as? Value else { throw YAMLDecoding.Reported() }
            return value
        }
        return try Value(from: self)
    }
}

/// A key that is a number or any text.
struct YAMLKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// A map.
struct YAMLKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let entries: [YAMLEntry]
    let mark: YAMLMark
    let codingPath: [any CodingKey]
    let decoding: YAMLDecoding

    /// Whoever wants all of them takes any key.
    var allKeys: [Key] {
        decoding.wasAskedForAll(at: mark)
        return entries.compactMap { Key(stringValue: $0.key) }
    }

    func contains(_ key: Key) -> Bool {
        decoding.wasAsked(key.stringValue, at: mark)
        return entry(key) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        decoding.wasAsked(key.stringValue, at: mark)
        return entry(key)?.value.isNull ?? true
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoding.part(type) { try decoder(key).value(type) }
    }

    /// What may be left out is as if it were, where it does not fit.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard try contains(key) && !decodeNil(forKey: key) else { return nil }
        return try decoding.part(Value?.self) { try decoder(key).value(type) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(YAMLKey(stringValue: "super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func entry(_ key: any CodingKey) -> YAMLEntry? {
        entries.first { $0.key.utf8.elementsEqual(key.stringValue.utf8) }
    }

    private func decoder(_ key: any CodingKey) throws -> YAMLNodeDecoder {
        decoding.wasAsked(key.stringValue, at: mark)
        guard let entry = entry(key) else { throw decoding.missing(key.stringValue, of: entries, at: mark) }
        return YAMLNodeDecoder(node: entry.value, codingPath: codingPath + [key], decoding: decoding)
    }
}

/// A list.
struct YAMLUnkeyedContainer: UnkeyedDecodingContainer {
    let items: [YAMLNode]
    let mark: YAMLMark
    let codingPath: [any CodingKey]
    let decoding: YAMLDecoding
    private(set) var currentIndex = 0

    init(items: [YAMLNode], mark: YAMLMark, codingPath: [any CodingKey], decoding: YAMLDecoding) {
        self.items = items
        self.mark = mark
        self.codingPath = codingPath
        self.decoding = decoding
    }

    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, items[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = try next()
        return try decoding.part(type) { try decoder.value(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> YAMLNodeDecoder {
        guard !isAtEnd else {
            throw decoding.fault(FaultCatalogue.missingValue, mark, "the list has too few items")
        }
        defer { currentIndex += 1 }
        return YAMLNodeDecoder(
            node: items[currentIndex], codingPath: codingPath + [YAMLKey(intValue: currentIndex)], decoding: decoding)
    }
}
