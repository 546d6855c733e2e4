import DoorwardConsole
import DoorwardRuntime
import Foundation
import Testing

@Suite("JSON")
struct JSONTests {
    @Test(
        "is read",
        arguments: [
            ("null", JSONValue.null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
            ("-12", .integer(-12)), ("1.5", .number(1.5)), ("1e3", .number(1000)),
            ("99999999999999999999", .number(1e20)), ("\"a\\n\\u00e9\\ud83d\\ude00\\/\"", .string("a\né😀/")),
            ("[]", .array([])), ("[1,[2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([])),
            ("{\"b\":1,\"a\":null}", .object(["b": .integer(1), "a": .null])),
            ("\t[ 1 , 2 ]\r\n", .array([.integer(1), .integer(2)])),
        ]
    )
    func reads(text: String, value: JSONValue) throws {
        #expect(try JSONReader.read(Array(text.utf8)) == value)
    }

    @Test(
        "is refused where it is none",
        arguments: [
            "", " ", "nul", "tru", "[", "[1", "[1,", "[1,]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}",
            "{a:1}", "'a'",
            "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"",
            "01", "-",
            "1.", ".5", "1e", "+1", "NaN", "1e999", "1 2", "{} {}", "{\"a\":1,\"a\":2}", "\u{FEFF}{}",
        ]
    )
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)) }
    }

    @Test("of any depth is refused, not recursed into")
    func depth() {
        let deep = String(repeating: "[", count: 60_000)
        #expect(throws: JSONError.self) { try JSONReader.read(Array(deep.utf8)) }
    }

    @Test(
        "bytes that are no UTF-8 are refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]]
    )
    func notUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONError.self) { try JSONReader.read([quote] + bytes + [quote]) }
    }

    @Test("no bytes trap the reader")
    func noise() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("{}[]\",:\\u0123456789eE+-.truefalsn \u{E9}\u{1F600}".utf8) + [0xFF, 0x00]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &generator)).compactMap { _ in
                alphabet.randomElement(using: &generator)
            }
            _ = try? JSONReader.read(bytes)
        }
    }

    @Test("what is written is read back the same, in one line and in several", arguments: StrangerTexts.all)
    func roundTrip(text: String) throws {
        let value = JSONValue.object([
            "k": .string(text), "list": .array([.integer(1), .bool(false), .null, .object([])]),
        ])
        for written in [value.oneLine, value.indented] { #expect(try JSONReader.read(Array(written.utf8)) == value) }
        #expect(!value.oneLine.contains { $0.isNewline })
    }

    @Test("what is written another reader understands", arguments: StrangerTexts.all)
    func interoperates(text: String) throws {
        let written = JSONValue.object(["k": .string(text)]).oneLine
        let decoded = try JSONDecoder().decode([String: String].self, from: Data(written.utf8))
        #expect(Array(decoded["k"]?.utf8 ?? "".utf8) == Array(text.utf8))
    }

    @Test("nothing that a terminal could act on is written raw", arguments: StrangerTexts.all)
    func safe(text: String) {
        #expect(JSONValue.string(text).oneLine.unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
    }
}
