import Testing
import XMPPCore
import XMPPSession

/// XEP-0198 as a value: counts, acknowledgements, and what is sent again.
@Suite("Stream management")
struct StreamManagementTests {
    private static let pause = Duration.seconds(2)
    private static let start = StreamManagementStart(id: "z")

    private func element(_ name: String, _ attributes: [String: String] = [:]) -> Element {
        Element(
            name, namespace: Namespace.streamManagement,
            attributes: attributes.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }

    private func stanza(_ number: Int) -> [UInt8] { Array("<presence id='\(number)'/>".utf8) }

    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    private func answer(_ count: UInt32) -> String { "<a xmlns='urn:xmpp:sm:3' h='\(count)'/>" }

    private func isFailure(_ actions: [StreamManagement.Action]) -> Bool {
        if case .fail(let error, _)? = actions.first { error.code == .handledCountTooHigh } else { false }
    }

    /// On, with so many stanzas out.
    private func on(sent count: Int = 0) -> StreamManagement {
        var management = StreamManagement(Self.start, pause: Self.pause)
        for number in 0..<count { _ = management.sent(stanza(number), at: .zero) }
        return management
    }

    // MARK: Enabling

    @Test("our stanzas count from <enable/> on, the server's from <enabled/> on, and nothing else counts (B060)")
    func counting() {
        var management = StreamManagement(pause: Self.pause)
        #expect(management.sent(stanza(1), at: .zero) == 1)
        #expect(management.sent(stanza(2), at: .zero) == 2)
        management.received()
        #expect(management.inbound == 0)
        #expect(
            management.received(element("enabled", ["id": "z", "resume": "true"]), at: .zero) == [.started(Self.start)])
        #expect(management.received(element("r"), at: .zero) == [])
        #expect(text(management.readEnded()) == answer(0))
        for _ in 0..<3 { management.received() }
        _ = management.committed(inbound: 3)
        #expect(management.received(element("a", ["h": "1"]), at: .zero) == [.acknowledged(through: 1)])
        #expect(management.received(element("r"), at: .zero) == [])
        #expect(text(management.readEnded()) == answer(3))
        #expect(management.outbound == 2)
        #expect(management.acknowledged == 1)
    }

    @Test(
        "a stream can be resumed only where <enabled/> says so and names an id (section 3)",
        arguments: [
            (["id": "z", "resume": "true"], "z"), (["id": "z", "resume": "1"], "z"), (["id": "z"], nil),
            (["resume": "true"], nil), (["id": "", "resume": "true"], nil), (["id": "z", "resume": "false"], nil),
            (["id": "z", "resume": "yes"], nil),
        ] as [([String: String], String?)])
    func resumable(attributes: [String: String], id: String?) {
        var management = StreamManagement(pause: Self.pause)
        _ = management.received(element("enabled", attributes), at: .zero)
        #expect(management.start?.id == id)
        #expect(management.start != nil)
    }

    @Test(
        "the server's time and place are taken where they are sound",
        arguments: [("300", 300), ("0", 0), ("-1", nil), ("x", nil), ("4294967296", nil), ("", nil)] as [(String, Int?)]
    )
    func maximum(text: String, value: Int?) {
        var management = StreamManagement(pause: Self.pause)
        _ = management.received(
            element("enabled", ["id": "z", "resume": "true", "max": text, "location": "[::1]:5222"]), at: .zero)
        let start = management.start
        #expect(start?.maximum == value)
        #expect(start?.location == "[::1]:5222")
    }

    @Test("a refused <enable/> counts nothing any more, keeps nothing and asks for nothing")
    func refused() {
        var management = StreamManagement(pause: Self.pause)
        _ = management.sent(stanza(1), at: .zero)
        #expect(management.received(element("failed"), at: .zero) == [.refused])
        #expect(management.isRefused)
        #expect(management.sent(stanza(2), at: .zero) == nil)
        #expect(management.tick(at: .seconds(10)) == nil)
        #expect(management.request() == nil)
        #expect(management.received(element("r"), at: .zero) == [.ignored("r")])
        #expect(management.readEnded() == nil)
        #expect(management.unacknowledged == [])
    }

    @Test("what comes before <enabled/> is passed over (B062)", arguments: ["r", "a", "resumed", "other"])
    func early(name: String) {
        var management = StreamManagement(pause: Self.pause)
        #expect(management.received(element(name, ["h": "0"]), at: .zero) == [.ignored(name)])
        #expect(management.readEnded() == nil)
        // And nothing is asked before it: Prosody ends the stream for that.
        _ = management.sent(stanza(1), at: .zero)
        #expect(management.tick(at: .seconds(10)) == nil)
        #expect(management.request() == nil)
    }

    // MARK: Acknowledging the server

    @Test("h covers a stanza only when it is committed; a question that came too early is answered again, once")
    func commitment() {
        var management = on()
        for _ in 0..<3 { management.received() }
        #expect(management.received(element("r"), at: .zero) == [])
        #expect(text(management.readEnded()) == answer(0))
        #expect(management.committed(inbound: 2) == nil)
        #expect(text(management.committed(inbound: 3)) == answer(3))
        #expect(management.committed(inbound: 3) == nil)
        management.received()
        #expect(management.committed(inbound: 4) == nil)
        #expect(management.farewell().flatMap { text($0) } == answer(4))
        #expect(management.farewell() == nil)
    }

    @Test("more than was handed over cannot be committed, nor less than was before", arguments: [2, 0, UInt32.max])
    func falseCommitment(count: UInt32) {
        var management = on()
        management.received()
        _ = management.committed(inbound: 1)
        _ = management.committed(inbound: count)
        #expect(management.committed == 1)
    }

    @Test("a thousand questions in one read have one answer; a thousand answers cause nothing (B062)")
    func flood() {
        var management = on(sent: 1)
        for _ in 0..<1000 { #expect(management.received(element("r"), at: .zero) == []) }
        #expect(text(management.readEnded()) == answer(0))
        #expect(management.readEnded() == nil)
        #expect(management.received(element("a", ["h": "1"]), at: .zero) == [.acknowledged(through: 1)])
        for _ in 0..<1000 { #expect(management.received(element("a", ["h": "1"]), at: .zero) == []) }
        #expect(management.tick(at: .seconds(100)) == nil)
    }

    // MARK: Asking the server

    @Test("the server is asked after 25 stanzas or two seconds, and never while an answer is due (B062)")
    func pacing() {
        var management = on()
        var questions = 0
        for number in 0..<100 {
            _ = management.sent(stanza(number), at: .zero)
            if management.requestIfMuchIsOut() != nil { questions += 1 }
        }
        #expect(questions == 1)
        #expect(management.tick(at: .seconds(10)) == nil)
        // What is still out is asked for after a pause, not at once: an answer causes no output.
        #expect(management.received(element("a", ["h": "40"]), at: .seconds(10)) == [.acknowledged(through: 40)])
        #expect(management.requestDue == .seconds(12))
        #expect(management.tick(at: .seconds(11)) == nil)
        #expect(management.tick(at: .seconds(12)) != nil)
        #expect(management.tick(at: .seconds(20)) == nil)
        _ = management.received(element("a", ["h": "100"]), at: .seconds(21))
        #expect(management.requestDue == nil)
    }

    @Test("a single stanza is asked for after the pause")
    func quiet() {
        var management = on()
        _ = management.sent(stanza(1), at: .seconds(5))
        #expect(management.requestIfMuchIsOut() == nil)
        #expect(management.requestDue == .seconds(7))
        #expect(text(management.tick(at: .seconds(7))) == "<r xmlns='urn:xmpp:sm:3'/>")
    }

    // MARK: h

    @Test("the counts wrap at 2^32 in both directions (B061)")
    func wrap() {
        var management = StreamManagement(
            resuming: Self.start, inbound: .max, outbound: 1, acknowledged: .max - 1,
            unacknowledged: [stanza(1), stanza(2), stanza(3)], pause: Self.pause)
        management.received()
        _ = management.committed(inbound: 0)
        _ = management.received(element("r"), at: .zero)
        #expect(text(management.readEnded()) == answer(0))
        #expect(management.received(element("a", ["h": "0"]), at: .zero) == [.acknowledged(through: 0)])
        #expect(management.unacknowledged == [stanza(3)])
        #expect(management.received(element("a", ["h": "1"]), at: .zero) == [.acknowledged(through: 1)])
        #expect(management.unacknowledged == [])
        #expect(!management.isWaiting)
    }

    @Test(
        "a count of more than was sent, or of less than before, ends the stream as section 6 says (B061)",
        arguments: [9, 10, 2, 0, UInt32.max])
    func impossible(handled: UInt32) {
        var management = on(sent: 8)
        _ = management.received(element("a", ["h": "3"]), at: .zero)
        let actions = management.received(element("a", ["h": "\(handled)"]), at: .zero)
        guard case .fail(let error, let farewell)? = actions.first else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .handledCountTooHigh)
        let said = text(farewell) ?? ""
        #expect(said.contains("<undefined-condition"))
        #expect(said.contains("<handled-count-too-high xmlns='urn:xmpp:sm:3' h='\(handled)' send-count='8'/>"))
        #expect(management.unacknowledged?.count == 5)
    }

    @Test(
        "what is no count changes nothing (B061)",
        arguments: ["-1", "4294967296", "x", "", " 1", "+1", "1.0", "0x1", "١", "99999999999999999999"])
    func noCount(text: String) {
        var management = on(sent: 8)
        #expect(management.received(element("a", ["h": text]), at: .zero) == [.ignored("a without a count")])
        #expect(management.received(element("a"), at: .zero) == [.ignored("a without a count")])
        #expect(management.unacknowledged?.count == 8)
    }

    // MARK: The bound

    @Test(
        "over the bound the bytes are let go: no resumption until the server has caught up", arguments: [true, false])
    func bound(byCount: Bool) {
        var management = on()
        let one = byCount ? stanza(0) : [UInt8](repeating: 32, count: 200_000)
        let count = byCount ? StreamManagement.keptStanzas : 5
        for _ in 0..<count { _ = management.sent(one, at: .zero) }
        #expect(management.unacknowledged?.count == count)
        _ = management.sent(one, at: .zero)
        #expect(management.unacknowledged == nil)
        _ = management.sent(stanza(1), at: .zero)
        _ = management.received(element("a", ["h": "\(count)"]), at: .zero)
        #expect(management.unacknowledged == nil)
        _ = management.received(element("a", ["h": "\(count + 1)"]), at: .zero)
        #expect(management.unacknowledged == [stanza(1)])
        _ = management.received(element("a", ["h": "\(count + 2)"]), at: .zero)
        #expect(management.unacknowledged == [])
    }

    // MARK: Resuming

    private func resuming(
        outbound: UInt32, acknowledged: UInt32, kept: Int, mayHaveSentMore: Bool = false
    ) -> StreamManagement {
        StreamManagement(
            resuming: Self.start, inbound: 20, outbound: outbound, acknowledged: acknowledged,
            unacknowledged: (0..<kept).map(stanza), mayHaveSentMore: mayHaveSentMore, pause: Self.pause)
    }

    @Test("what the server has not handled is sent again in order, and not counted again (B059)")
    func resume() {
        var management = resuming(outbound: 9, acknowledged: 4, kept: 5)
        let actions = management.resumed(handled: 7, at: .seconds(100))
        #expect(actions == [.acknowledged(through: 7), .send(stanza(3)), .send(stanza(4))])
        #expect(management.outbound == 9)
        #expect(management.sent(stanza(9), at: .zero) == 10)
        // Counting goes on where it was (B060).
        management.received()
        _ = management.committed(inbound: 21)
        _ = management.received(element("r"), at: .zero)
        #expect(text(management.readEnded()) == answer(21))
        #expect(management.received(element("a", ["h": "10"]), at: .zero) == [.acknowledged(through: 10)])
    }

    @Test("in the same process a count beyond what was sent is the server's error", arguments: [10, 3, UInt32.max])
    func resumeImpossible(handled: UInt32) {
        var management = resuming(outbound: 9, acknowledged: 4, kept: 5)
        #expect(isFailure(management.resumed(handled: handled, at: .zero)))
        // Also where nothing of ours is out.
        var idle = resuming(outbound: 4, acknowledged: 4, kept: 0)
        #expect(isFailure(idle.resumed(handled: handled, at: .zero)))
        #expect(idle.outbound == 4)
    }

    @Test("after a restart a count above the saved one means that all was handled", arguments: [10, 9 + 1000, 1 << 30])
    func resumeAfterCrash(handled: UInt32) {
        var management = resuming(outbound: 9, acknowledged: 4, kept: 0, mayHaveSentMore: true)
        #expect(management.resumed(handled: handled, at: .zero) == [.acknowledged(through: handled)])
        #expect(!management.isWaiting)
        #expect(management.sent(stanza(1), at: .zero) == handled + 1)
        #expect(management.unacknowledged == [stanza(1)])
    }

    @Test(
        "with the stanzas of a process before too, of which more may have been sent",
        arguments: [10, 9 + 1000, 1 << 30])
    func resumeStale(handled: UInt32) {
        var management = resuming(outbound: 9, acknowledged: 4, kept: 5, mayHaveSentMore: true)
        #expect(management.resumed(handled: handled, at: .zero) == [.acknowledged(through: handled)])
        #expect(management.sent(stanza(1), at: .zero) == handled + 1)
        #expect(management.unacknowledged == [stanza(1)])
        // A count that was possible is taken as ever, and one of less than before is nonsense.
        var other = resuming(outbound: 9, acknowledged: 4, kept: 5, mayHaveSentMore: true)
        #expect(other.resumed(handled: 8, at: .zero) == [.acknowledged(through: 8), .send(stanza(4))])
        #expect(isFailure(other.received(element("a", ["h": "11"]), at: .zero)))
        var third = resuming(outbound: 9, acknowledged: 4, kept: 5, mayHaveSentMore: true)
        #expect(isFailure(third.resumed(handled: 3, at: .zero)))
    }

    @Test("after a restart what was not handled is gone: the next stanza takes its number")
    func resumeAfterRestart() {
        var management = resuming(outbound: 9, acknowledged: 4, kept: 0, mayHaveSentMore: true)
        #expect(management.resumed(handled: 6, at: .zero) == [.acknowledged(through: 6)])
        #expect(management.sent(stanza(1), at: .zero) == 7)
        #expect(management.received(element("a", ["h": "7"]), at: .zero) == [.acknowledged(through: 7)])
    }

    @Test("after a restart a count below what was acknowledged is nonsense")
    func resumeBackwards() {
        var management = resuming(outbound: 9, acknowledged: 4, kept: 0)
        #expect(isFailure(management.resumed(handled: 3, at: .zero)))
    }

    @Test("bytes that do not fit the counts are not sent again", arguments: [1, 4, 6])
    func resumeMisfit(kept: Int) {
        var management = resuming(outbound: 9, acknowledged: 4, kept: kept)
        #expect(management.resumed(handled: 6, at: .zero) == [.acknowledged(through: 6)])
    }

    @Test("no sequence of events makes it trap or lose count of what is kept")
    func property() {
        var random = SplitMix(seed: 198)
        for _ in 0..<300 {
            var management = StreamManagement(
                resuming: Self.start, inbound: UInt32(truncatingIfNeeded: random.next()),
                outbound: UInt32.max - 3, acknowledged: UInt32.max - 3, unacknowledged: [], pause: Self.pause)
            for step in 0..<60 {
                switch random.next() % 7 {
                case 0, 1: _ = management.sent(stanza(step), at: .seconds(step))
                case 2: management.received()
                case 3: _ = management.committed(inbound: management.inbound &- UInt32(random.next() % 3))
                case 4:
                    let handled = management.acknowledged &+ UInt32(random.next() % 6)
                    let waiting = management.outbound &- management.acknowledged
                    let isSound = handled &- management.acknowledged <= waiting
                    let actions = management.received(element("a", ["h": "\(handled)"]), at: .seconds(step))
                    #expect(isFailure(actions) == !isSound)
                case 5: _ = management.received(element("r"), at: .seconds(step))
                case _:
                    _ = management.readEnded()
                    _ = management.tick(at: .seconds(step))
                }
                let waiting = management.outbound &- management.acknowledged
                #expect(UInt32(management.unacknowledged?.count ?? -1) == waiting)
                #expect(management.inbound &- management.committed < 61)
            }
        }
    }
}
