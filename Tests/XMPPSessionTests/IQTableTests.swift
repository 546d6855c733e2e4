import Testing
import XMPPCore
import XMPPSession

@Suite("Outstanding requests")
struct IQTableTests {
    private let own = "bot@example.org/r"

    private func table(to: String?, id: String = "i1") throws -> IQTable<Int> {
        var table = IQTable<Int>(account: try JID(own))
        #expect(table.register(to: try to.map { try JID($0) }, id: id, waiter: 7, deadline: .seconds(10)) == true)
        return table
    }

    private func answer(from: String?, id: String? = "i1", type: IQType = .result) throws -> IQ {
        var element = IQ(type, id: "", payload: Element("a", namespace: "urn:a")).element
        element[attribute: "id"] = id
        element[attribute: "from"] = from
        return try #require(IQ(element))
    }

    @Test(
        "an answer has the sender that was asked (CVE-2013-6483, CVE-2024-46957)",
        arguments: [
            // Our own account: no sender, or the bare address.
            (nil, nil, true), (nil, "bot@example.org", true), (nil, "Bot@Example.Org", true),
            (nil, "bot@example.org/r", false),
            (nil, "example.org", false), (nil, "bot@example.org/other", false), (nil, "mallory@example.org", false),
            (nil, "bot@example.org.evil.test", false), (nil, "not an address@", false),
            ("bot@example.org", nil, true), ("bot@example.org", "bot@example.org", true),
            ("bot@example.org", "example.org", false),
            // Our own server.
            ("example.org", "example.org", true), ("example.org", nil, true), ("example.org", "bot@example.org", false),
            ("example.org", "example.org/x", false),
            // Others.
            ("example.net", "example.net", true), ("example.net", nil, false),
            ("example.net", "bot@example.org", false),
            ("ann@example.net/p", "ann@example.net/p", true), ("ann@example.net/p", "Ann@EXAMPLE.net/p", true),
            ("ann@example.net/p", "ann@example.net", false), ("ann@example.net/p", "ann@example.net/P", false),
            ("ann@example.net", nil, false), ("ann@example.net", "bot@example.org", false),
            ("ann@example.net", "", false),
            ("bot@example.org/other", nil, false), ("bot@example.org/other", "bot@example.org/other", true),
            // A server that folds by nodeprep.
            ("fu\u{DF}ball@example.net", "fussball@example.net", true),
            ("fu\u{DF}ball@example.net", "fussball@evil.test", false),
        ] as [(String?, String?, Bool)]
    )
    func senders(to: String?, from: String?, matches: Bool) throws {
        var table = try table(to: to)
        let match = table.received(try answer(from: from))
        #expect((match?.waiter == 7) == matches)
        #expect(table.count == (matches ? 0 : 1))
    }

    @Test("a request that nobody waits for any more is taken out, and its answer is nobody's")
    func withdrawn() throws {
        var table = try table(to: nil)
        #expect(table.withdraw(id: "i2") == nil && table.withdraw(id: "I1") == nil)
        #expect(table.withdraw(id: "i1") == 7)
        #expect(table.withdraw(id: "i1") == nil && table.isEmpty)
        #expect(try table.received(answer(from: nil)) == nil)
    }

    @Test("as many wait as may, and one less where one is withdrawn")
    func full() {
        var table = IQTable<Int>(account: JID(BareJID(preparedLocal: "bot", preparedDomain: "example.org")))
        for number in 0..<IQTable<Int>.bound {
            #expect(!table.isFull)
            table.register(to: nil, id: "\(number)", waiter: number, deadline: .zero)
        }
        #expect(table.isFull)
        #expect(table.withdraw(id: "5") == 5 && !table.isFull)
    }

    @Test("an answer has the id and the kind of one")
    func idsAndKinds() throws {
        var table = try table(to: nil)
        for (id, type) in [
            ("i2", .result), ("I1", .result), (nil, .result), ("i1", .get), ("i1", .set), ("i1", .other("x")),
        ] as [(String?, IQType)] {
            #expect(table.received(try answer(from: nil, id: id, type: type)) == nil)
        }
        let match = table.received(try answer(from: nil))
        #expect(match?.answer == .result(Element("a", namespace: "urn:a")))
        #expect(table.received(try answer(from: nil)) == nil, "a second answer is ignored")
    }

    @Test("ids are compared as bytes")
    func idsAsBytes() throws {
        var table = try table(to: nil, id: "K")
        #expect(table.received(try answer(from: nil, id: "\u{212A}")) == nil)
        #expect(table.received(try answer(from: nil, id: "K"))?.waiter == 7)
    }

    @Test("an error is an answer, also without <error/>")
    func errors() throws {
        var first = try table(to: nil)
        #expect(first.received(try answer(from: nil, type: .error))?.answer == .error(StanzaError(.undefinedCondition)))
        var second = try table(to: nil)
        var element = IQ(.error, id: "i1").element
        element.children = [.element(StanzaError(.itemNotFound).element)]
        #expect(second.received(try #require(IQ(element)))?.answer == .error(StanzaError(.itemNotFound)))
    }

    @Test("requests run out in order, and the rest ends with the connection")
    func deadlines() throws {
        var table = IQTable<Int>(account: try JID(own))
        for (waiter, seconds) in [(1, 30), (2, 10), (3, 20)] {
            table.register(to: nil, id: "i\(waiter)", waiter: waiter, deadline: .seconds(seconds))
        }
        #expect(table.expired(at: .seconds(9)) == [])
        #expect(table.expired(at: .seconds(20)) == [2, 3])
        #expect(table.drain() == [1])
        #expect(table.drain() == [])
    }

    @Test("there is a bound, and an id is used once")
    func bound() throws {
        var table = IQTable<Int>(account: try JID(own))
        for number in 0..<1024 {
            #expect(table.register(to: nil, id: "\(number)", waiter: number, deadline: .seconds(1)) == true)
        }
        #expect(table.register(to: nil, id: "one more", waiter: 0, deadline: .seconds(1)) == false)
        #expect(table.received(try answer(from: nil, id: "5"))?.waiter == 5)
        #expect(table.register(to: nil, id: "one more", waiter: 0, deadline: .seconds(1)) == true)
        _ = table.drain()
        #expect(table.register(to: nil, id: "a", waiter: 1, deadline: .seconds(1)) == true)
        #expect(table.register(to: nil, id: "a", waiter: 2, deadline: .seconds(1)) == false)
    }
}

@Suite("Stanza ids")
struct StanzaIDsTests {
    @Test("ids are unique, printable, and other ones for another key")
    func ids() {
        var first = StanzaIDs(prefix: [UInt8](repeating: 1, count: 16))
        var again = StanzaIDs(prefix: [UInt8](repeating: 1, count: 16))
        var other = StanzaIDs(prefix: [UInt8](repeating: 2, count: 16))
        let ids = (0..<10_000).map { _ in first.next() }
        #expect(Set(ids).count == 10_000)
        #expect(ids.first == again.next())
        #expect(ids.first != other.next())
        #expect(
            ids.allSatisfy {
                $0.utf8.count == 24 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            }
        )
    }
}
