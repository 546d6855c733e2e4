/// A JSON document as a value.
///
/// Members keep their order, so that what is printed has the order of the contract.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// An object with its members in the order written.
    package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { JSONMember($0.key, $0.value) })
    }

    /// The text, or null.
    package static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    package static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    package static func integer(_ number: Int) -> JSONValue { .integer(Int64(number)) }

    /// The member of that name; nil where this is no object or has none.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    package var bool: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    package var array: [JSONValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    package var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    package var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The object with one member more, at its end.
    package func adding(_ key: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + [JSONMember(key, value)])
    }
}

/// One member of an object.
package struct JSONMember: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }
}
