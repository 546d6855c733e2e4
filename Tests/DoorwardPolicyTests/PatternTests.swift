import DoorwardPolicy
import Testing
import XMPPCore

@Suite struct PatternTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var pattern: String
        var yes: [String]
        var no: [String]
        var testDescription: String { pattern }
    }

    @Test(
        "an address pattern matches exactly what it says",
        arguments: [
            Row(
                pattern: "ann@corp.example",
                yes: ["ann@corp.example"],
                no: ["ann@corp.example.evil.net", "bo@corp.example", "corp.example"]
            ),
            Row(pattern: "Ann@CORP.example.", yes: ["ann@corp.example"], no: ["ann@example"]),
            Row(
                pattern: "*@corp.example",
                yes: ["ann@corp.example", "b@corp.example"],
                no: [
                    "corp.example", "a@x.corp.example", "staff@corp.example.evil.net", "a@evilcorp.example",
                    "a@corp.exampl",
                ]
            ),
            Row(
                pattern: "*@*.corp.example",
                yes: ["a@x.corp.example", "a@y.x.corp.example"],
                no: ["a@corp.example", "x.corp.example", "a@x.corp.example.net", "a@xcorp.example"]
            ),
            Row(pattern: "corp.example", yes: ["corp.example"], no: ["a@corp.example", "x.corp.example"]),
            Row(pattern: "*.corp.example", yes: ["x.corp.example"], no: ["a@x.corp.example", "corp.example"]),
            Row(pattern: "*", yes: ["corp.example", "x.example"], no: ["a@corp.example"]),
            Row(pattern: "*@*", yes: ["a@corp.example", "b@x"], no: ["corp.example"]),
            Row(
                pattern: "bot-*@corp.example",
                yes: ["bot-1@corp.example", "bot-@corp.example"],
                no: ["bot@corp.example", "xbot-1@corp.example"]
            ),
            Row(
                pattern: "*bot*@corp.example",
                yes: ["bot@corp.example", "a-bot-b@corp.example"],
                no: ["bo@corp.example"]
            ),
            Row(
                pattern: "a*b*c@d.example",
                yes: ["abc@d.example", "axbxc@d.example", "abbcbc@d.example"],
                no: ["acb@d.example", "ab@d.example"]
            ),
            Row(
                pattern: "a@mail-*.example",
                yes: ["a@mail-1.example", "a@mail-x.y.example"],
                no: ["a@mail.example", "a@xmail-1.example"]
            ),
            Row(pattern: "a@*.x.*.example", yes: ["a@1.x.2.example"], no: ["a@x.2.example", "a@1.x.example"]),
            Row(pattern: "Юзер@пример.example", yes: ["юзер@пример.example"], no: ["user@пример.example"]),
            Row(pattern: "*@ПРИМЕР.example", yes: ["юзер@пример.example"], no: ["юзер@пример.example.net"]),
        ]
    )
    func addresses(row: Row) throws {
        let set: AddressSet = try set(row.pattern)
        for address in row.yes { #expect(set.matches(try BareJID(address)), "\(address)") }
        for address in row.no { #expect(!set.matches(try BareJID(address)), "\(address)") }
    }

    @Test(
        "a domain pattern matches exactly what it says",
        arguments: [
            Row(
                pattern: "example.org",
                yes: ["example.org"],
                no: ["x.example.org", "example.org.evil.net", "xexample.org"]
            ),
            Row(pattern: "Example.ORG.", yes: ["example.org"], no: ["example"]),
            Row(
                pattern: "*.example.org",
                yes: ["x.example.org", "y.x.example.org"],
                no: ["example.org", "xexample.org", "x.example.org.net"]
            ),
            Row(pattern: "*example.org", yes: ["example.org", "xexample.org", "x.example.org"], no: ["example.or"]),
            Row(pattern: "example.*", yes: ["example.org", "example.a.b"], no: ["xexample.org", "example"]),
            Row(pattern: "*", yes: ["a", "b.c"], no: []),
        ]
    )
    func domains(row: Row) throws {
        let set: DomainSet = try set(row.pattern)
        for domain in row.yes { #expect(set.matches(domain), "\(domain)") }
        for domain in row.no { #expect(!set.matches(domain), "\(domain)") }
    }

    @Test(
        "a value that could never match is refused",
        arguments: [
            ("", PatternError.Code.empty), ("/x/", .regularExpression), ("a@b@c", .notAnAddress),
            ("*@b@c", .notAnAddress),
            ("x@example.org/", .resource), ("x@example.org/phone", .resource), ("*@example.org/x", .resource),
            ("@example.org", .notAnAddress), ("a b@example.org", .notAnAddress), ("*@", .empty), ("@*", .empty),
        ]
    )
    func badAddresses(text: String, code: PatternError.Code) {
        var set = AddressSet()
        let error = #expect(throws: PatternError.self) { try set.insert(text) }
        #expect(error?.code == code)
    }

    @Test("an address is no domain and no user")
    func wrongKinds() {
        var domains = DomainSet()
        #expect(throws: PatternError.self) { try domains.insert("ann@example.org") }
        #expect(throws: PatternError.self) { try domains.insert("a/b") }
        #expect(throws: PatternError.self) { try domains.insert("/a/") }
        #expect(throws: PatternError.self) { try domains.insert("") }
        var users = LocalPartSet()
        #expect(throws: PatternError.self) { try users.insert("ann@example.org") }
        #expect(throws: PatternError.self) { try users.insert("a/b") }
        #expect(throws: PatternError.self) { try users.insert("/ab/") }
        #expect(throws: PatternError.self) { try users.insert("a b") }
        var texts = TextSet()
        #expect(throws: PatternError.self) { try texts.insert("") }
    }

    @Test(
        "the same value in another spelling is a duplicate",
        arguments: [
            ("ann@example.org", "ANN@Example.ORG."), ("*@example.org", "*@EXAMPLE.org."),
            ("*@*.example.org", "*@*.Example.org"),
            ("a*@example.org", "A*@example.org"), ("*.example.org", "*.EXAMPLE.org"),
        ]
    )
    func duplicates(first: String, second: String) throws {
        var set = AddressSet()
        #expect(try set.insert(first))
        #expect(try !set.insert(second))
        #expect(!set.isEmpty)
    }

    @Test("duplicates of every kind of set are told")
    func duplicateKinds() throws {
        var domains = DomainSet()
        for value in ["a.example", "*.a.example", "*a*"] {
            #expect(try domains.insert(value))
            #expect(try !domains.insert(value.uppercased()))
        }
        var users = LocalPartSet()
        for value in ["ann", "a*"] {
            #expect(try users.insert(value))
            #expect(try !users.insert(value.uppercased()))
        }
        var texts = TextSet()
        #expect(try texts.insert("Straße"))
        #expect(try !texts.insert("STRASSE"))
        #expect(texts.count == 1)
    }

    // Backtracking would take longer than anybody can wait; a busy machine takes a second.
    @Test("matching takes time in proportion to the text", .timeLimit(.minutes(1)))
    func noBlowUp() throws {
        let set: AddressSet = try set(String(repeating: "*a", count: 100) + "*b@x.example")
        let long = String(repeating: "a", count: 1_000)
        let address = try BareJID("\(long)@x.example")
        for _ in 0..<10 { #expect(!set.matches(address)) }
    }

    // Comparing each entry would take far longer; a busy machine takes seconds, and under ThreadSanitizer a minute.
    @Test("sixty thousand values are looked up by hash", .timeLimit(.minutes(5)))
    func largeList() throws {
        var set = AddressSet()
        for number in 0..<20_000 {
            _ = try set.insert("user\(number)@example.org")
            _ = try set.insert("*@host\(number).example")
            _ = try set.insert("*@*.net\(number).example")
        }
        let addresses = try ["user19999@example.org", "a@host7.example", "a@b.c.net11.example", "nobody@example.org"]
            .map { try BareJID($0) }
        for _ in 0..<1_000 { #expect(addresses.map(set.matches) == [true, true, true, false]) }
    }
}
