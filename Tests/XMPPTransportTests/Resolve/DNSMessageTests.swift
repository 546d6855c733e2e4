import Testing

@testable import XMPPTransport

@Suite("A name server's answer")
struct DNSMessageTests {
    private static let name = "_xmpp-client._tcp.example.org"

    private func services(_ records: [[UInt8]]) throws -> [ServiceRecord] {
        try DNSMessage(DNSAnswer(Self.name, DNSAnswer.srv, records: records).bytes).services()
    }

    @Test("is read, also with a target that points back into the answer")
    func reading() throws {
        let plain = DNSAnswer.service(5, 10, 5222, "XMPP.example.net")
        // "c2s" and a pointer to "example.org" in the question: 12 + 13 + 5.
        let pointing = DNSAnswer.record(DNSAnswer.srv, [0, 1, 0, 0, 0x14, 0x67, 3, 0x63, 0x32, 0x73, 0xC0, 30])
        #expect(
            try services([plain, pointing]) == [
                record(5, 10, "xmpp.example.net", 5222), record(1, 0, "c2s.example.org", 5223),
            ])
    }

    @Test("with the root as target has it as an empty name (B065)")
    func root() throws {
        #expect(try services([DNSAnswer.service(0, 0, 0, ".")]) == [record(0, 0, "", 0)])
    }

    @Test("without records, or with others only, is empty")
    func none() throws {
        #expect(try services([]) == [])
        #expect(try services([DNSAnswer.record(DNSAnswer.a, [127, 0, 0, 1])]) == [])
        #expect(try services([DNSAnswer.record(DNSAnswer.srv, [0, 0, 0, 0, 0, 1, 0], class: 3)]) == [])
    }

    @Test("has only the records of the name that was asked for")
    func otherOwner() throws {
        let others = DNSAnswer.encoded("_xmpp-client._tcp.example.com")
        #expect(try services([DNSAnswer.service(0, 0, 1, "evil.example", owner: others)]) == [])
        let own = DNSAnswer.encoded("_XMPP-client._tcp.EXAMPLE.org")
        #expect(
            try services([DNSAnswer.service(0, 0, 1, "good.example", owner: own)]).map(\.target) == ["good.example"])
        let address = DNSAnswer(
            "host.example", DNSAnswer.a,
            records: [
                DNSAnswer.record(DNSAnswer.a, [10, 0, 0, 1], owner: others),
                DNSAnswer.record(DNSAnswer.a, [10, 0, 0, 2]),
                DNSAnswer.record(DNSAnswer.a, [10, 0, 0, 3, 4]),
            ])
        #expect(try DNSMessage(address.bytes).addresses(.v4).map(\.description) == ["10.0.0.2"])
        #expect(try DNSMessage(address.bytes).addresses(.v6) == [])
    }

    @Test("is followed through aliases, in any order, and not without end")
    func aliases() throws {
        func answer(_ links: [(String, String)]) -> [UInt8] {
            var records = links.map {
                DNSAnswer.record(DNSAnswer.cname, DNSAnswer.encoded($0.1), owner: DNSAnswer.encoded($0.0))
            }
            records.insert(
                DNSAnswer.record(DNSAnswer.a, [10, 0, 0, 9], owner: DNSAnswer.encoded("end.example")), at: 0)
            return DNSAnswer("start.example", DNSAnswer.a, records: records).bytes
        }
        let way = [("b.example", "end.example"), ("start.example", "a.example"), ("a.example", "B.example")]
        #expect(try DNSMessage(answer(way)).addresses(.v4).map(\.description) == ["10.0.0.9"])
        #expect(try DNSMessage(answer([("start.example", "nowhere.example")])).addresses(.v4) == [])
        #expect(throws: DNSMessage.Malformed.self) { try DNSMessage(answer([("start.example", "start.example")])) }
        #expect(throws: DNSMessage.Malformed.self) {
            try DNSMessage(answer([("start.example", "a.example"), ("a.example", "start.example")]))
        }
        let long = (0..<100).map { ($0 == 0 ? "start.example" : "c\($0).example", "c\($0 + 1).example") }
        #expect(throws: DNSMessage.Malformed.self) { try DNSMessage(answer(long)) }
    }

    @Test("of a thousand targets is read whole, of more it is cut")
    func many() throws {
        let one = DNSAnswer.service(0, 0, 1, "a.test")
        #expect(try services(Array(repeating: one, count: 1000)).count == 1000)
        #expect(try services(Array(repeating: one, count: 2000)).count == DNSMessage.recordLimit)
    }

    @Test("passes over targets that are no host names, and is an error where nothing else is left")
    func strangeTargets() throws {
        // A label with a dot, a zero, a quote and a byte over 127 in it.
        let label: [UInt8] = [5, 0x61, 0x2E, 0, 0x22, 0xFF]
        let strange = DNSAnswer.record(DNSAnswer.srv, [0, 0, 0, 0, 0, 1] + label + [0])
        #expect(try services([strange, DNSAnswer.service(0, 0, 1, "a.test")]).map(\.target) == ["a.test"])
        #expect(throws: DNSMessage.Malformed.self) { try services([strange]) }
    }

    @Test("with a name that points to itself, forward or in a circle is an error")
    func pointers() throws {
        let start = DNSAnswer(Self.name, DNSAnswer.srv).bytes.count + 12
        // Where the target's name begins.
        let place = UInt8(start + 6)
        for target in [
            [0xC0, place], [0xC0, place + 1], [0xC0, place + 2, 0xC0, place], [0xFF, 0xFF], [0x80, 1], [64],
        ] {
            #expect(throws: DNSMessage.Malformed.self) {
                try services([DNSAnswer.record(DNSAnswer.srv, [0, 0, 0, 0, 0, 1] + target)])
            }
        }
        // A label before a pointer to itself grows for ever.
        #expect(throws: DNSMessage.Malformed.self) {
            try services([DNSAnswer.record(DNSAnswer.srv, [0, 0, 0, 0, 0, 1, 1, 0x61, 0xC0, place])])
        }
    }

    @Test("that is cut off or changed anywhere does no harm")
    func broken() {
        let alias = DNSAnswer.record(DNSAnswer.cname, DNSAnswer.encoded("alias.example"))
        let own = DNSAnswer.encoded("alias.example")
        let whole = DNSAnswer(
            Self.name, DNSAnswer.srv,
            records: [
                alias, DNSAnswer.service(5, 1, 5222, "xmpp.example.net", owner: own), DNSAnswer.record(1, [1, 2]),
            ]
        ).bytes
        func read(_ bytes: [UInt8]) {
            guard let message = try? DNSMessage(bytes) else { return }
            _ = try? message.services()
            _ = message.addresses(.v4) + message.addresses(.v6)
        }
        for length in 0...whole.count { read(Array(whole.prefix(length))) }
        for index in whole.indices {
            for value in UInt8.min...UInt8.max {
                var changed = whole
                changed[index] = value
                read(changed)
            }
        }
        var generator = Seeded(state: 4)
        for _ in 0..<2000 {
            var changed = whole
            for _ in 0..<8 {
                changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            read(changed)
        }
    }
}
