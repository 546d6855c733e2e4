package import XMPPCore

/// The counts of a stream whose stanzas are acknowledged (XEP-0198): what each side has handled, and what of ours is out.
///
/// Only message, presence and iq count, in both directions, modulo 2^32. Our own `h` covers what the owner has committed,
/// never what it was merely handed.
package struct StreamManagement: Sendable {
    package enum Action: Sendable, Equatable {
        case send([UInt8])
        /// The server counts from now on.
        case started(StreamManagementStart)
        /// The server does not: nothing of what was numbered will be acknowledged.
        case refused
        /// The server has handled our stanzas up to this number.
        case acknowledged(through: UInt32)
        /// An element that makes no sense; nothing is done about it.
        case ignored(String)
        /// The server claims more than there was (section 6): say so and end the stream.
        case fail(SessionError, farewell: [UInt8])
    }

    private enum State: Sendable {
        /// `<enable/>` is out: our stanzas count already, those of the server do not.
        case requested
        case on(StreamManagementStart)
        case refused
    }

    /// To be sent once behind the binding, and before anything that is to count.
    package static let enable = Array("<enable xmlns='\(Namespace.streamManagement)' resume='true'/>".utf8)
    /// After so many stanzas an acknowledgement is asked for in the same write; otherwise after a pause.
    package static let requestInterval = 25
    /// How much is kept to be sent again: over either bound the bytes are let go, and the session cannot be resumed until
    /// the server has caught up.
    package static let keptStanzas = 4096
    package static let keptBytes = 1_048_576

    private var state: State
    /// Stanzas of the server that were handed over.
    package private(set) var inbound: UInt32 = 0
    /// Those whose effects are committed.
    package private(set) var committed: UInt32 = 0
    /// Stanzas of ours that were sent.
    package private(set) var outbound: UInt32 = 0
    /// Those that the server has handled.
    package private(set) var acknowledged: UInt32 = 0

    private var kept: [[UInt8]] = []
    private var keptSize = 0
    /// The oldest unacknowledged stanzas whose bytes are gone.
    private var forgotten: UInt32 = 0
    /// Whether the counts were saved before the process ended, so that more may have been sent.
    private var mayHaveSentMore = false

    private let pause: Duration
    private var isRequestOut = false
    private var sinceRequest = 0
    /// When the server is asked next.
    package private(set) var requestDue: Duration?

    private var owesAnswer = false
    /// The server asked when so much was handed over and not all of it committed: it is told again once it is.
    private var openQuestion: UInt32?
    private var lastAnswer: UInt32 = 0

    /// `<enable/>` is being sent.
    ///
    /// - Parameter pause: How long after a stanza the server is asked whether it has it.
    package init(pause: Duration) {
        self.pause = pause
        state = .requested
    }

    /// The server has enabled it with the login (XEP-0386 section 4).
    package init(_ start: StreamManagementStart, pause: Duration) {
        self.pause = pause
        state = .on(start)
    }

    /// A session is being taken up again; `resumed(handled:at:)` comes next.
    ///
    /// The server sends again what is not committed; `unacknowledged` has the bytes of what it has not acknowledged, and
    /// none where the owner knows by itself what was meant. `mayHaveSentMore` where they are those of a process before,
    /// as they were last saved.
    package init(
        resuming start: StreamManagementStart, inbound: UInt32, outbound: UInt32, acknowledged: UInt32,
        unacknowledged: [[UInt8]], mayHaveSentMore: Bool = false, pause: Duration
    ) {
        self.pause = pause
        self.mayHaveSentMore = mayHaveSentMore
        state = .on(start)
        self.inbound = inbound
        committed = inbound
        lastAnswer = inbound
        self.outbound = outbound
        self.acknowledged = acknowledged
        if UInt32(clamping: unacknowledged.count) == outbound &- acknowledged {
            kept = unacknowledged
            keptSize = unacknowledged.reduce(0) { $0 + $1.count }
        } else {
            forgotten = outbound &- acknowledged
        }
    }

    /// What the server said when it enabled it; nil before, and where it does not.
    package var start: StreamManagementStart? {
        if case .on(let start) = state { start } else { nil }
    }

    package var isRefused: Bool {
        if case .refused = state { true } else { false }
    }

    /// Whether something of ours is not acknowledged.
    package var isWaiting: Bool { outbound != acknowledged }

    /// Whether the server will say so.
    package var isAwaitingAnswer: Bool { isWaiting && !isRefused }

    /// What must be sent again on a resumed stream, oldest first; nil where its bytes were let go.
    package var unacknowledged: [[UInt8]]? { forgotten == 0 ? kept : nil }

    // MARK: Our stanzas

    /// A stanza is being sent; its number comes back, nil where nothing is counted.
    package mutating func sent(_ stanza: [UInt8], at now: Duration) -> UInt32? {
        if case .refused = state { return nil }
        outbound &+= 1
        sinceRequest += 1
        if kept.count >= Self.keptStanzas || keptSize + stanza.count > Self.keptBytes {
            forgotten &+= UInt32(clamping: kept.count) &+ 1
            (kept, keptSize) = ([], 0)
        } else {
            kept.append(stanza)
            keptSize += stanza.count
        }
        if requestDue == nil { requestDue = now + pause }
        return outbound
    }

    /// The question to put behind what was just sent, where enough is out.
    package mutating func requestIfMuchIsOut() -> [UInt8]? {
        guard sinceRequest >= Self.requestInterval, !isRequestOut, start != nil else { return nil }
        return request()
    }

    /// Time has passed: the question, where it is due.
    package mutating func tick(at now: Duration) -> [UInt8]? {
        guard let requestDue, requestDue <= now else { return nil }
        self.requestDue = nil
        // While `<enable/>` is unanswered nothing may be asked (Prosody ends the stream); the answer asks for it.
        guard isWaiting, !isRequestOut, start != nil else { return nil }
        return request()
    }

    /// Asks now, unless the answer to a question is due already.
    package mutating func requestUnlessOut() -> [UInt8]? { isRequestOut ? nil : request() }

    /// Asks now, be it that an answer is due already: as a sign of life.
    package mutating func request() -> [UInt8]? {
        guard start != nil else { return nil }
        isRequestOut = true
        sinceRequest = 0
        requestDue = nil
        return Self.question
    }

    // MARK: The server's stanzas

    /// A stanza of the server is being handed over.
    package mutating func received() {
        if case .on = state { inbound &+= 1 }
    }

    /// The effects of the stanzas up to this number are on disk.
    ///
    /// - Returns: The answer to a question that came too early, if there is one.
    package mutating func committed(inbound count: UInt32) -> [UInt8]? {
        guard case .on = state, count &- committed <= inbound &- committed else { return nil }
        committed = count
        guard let open = openQuestion, Self.covers(count, open) else { return nil }
        openQuestion = nil
        return answer()
    }

    /// A read is over: the one answer to all questions in it.
    package mutating func readEnded() -> [UInt8]? {
        guard owesAnswer else { return nil }
        owesAnswer = false
        openQuestion = committed == inbound ? nil : inbound
        return answer()
    }

    /// To be said before the stream is closed (section 4): what the server need not keep.
    package mutating func farewell() -> [UInt8]? {
        guard case .on = state, committed != lastAnswer else { return nil }
        return answer()
    }

    private mutating func answer() -> [UInt8] {
        lastAnswer = committed
        return Array("<a xmlns='\(Namespace.streamManagement)' h='\(committed)'/>".utf8)
    }

    // MARK: Elements

    /// An element of this namespace arrived, on a stream that is bound.
    package mutating func received(_ element: Element, at now: Duration) -> [Action] {
        switch state {
        case .requested:
            if let start = StreamManagementStart(element) {
                state = .on(start)
                if isWaiting, requestDue == nil { requestDue = now + pause }
                return [.started(start)]
            }
            guard element.matches("failed", Namespace.streamManagement) else { return [.ignored(element.name)] }
            state = .refused
            (kept, keptSize, forgotten, requestDue) = ([], 0, 0, nil)
            return [.refused]
        case .refused:
            return [.ignored(element.name)]
        case .on:
            if element.matches("r", Namespace.streamManagement) {
                owesAnswer = true
                return []
            }
            guard element.matches("a", Namespace.streamManagement) else { return [.ignored(element.name)] }
            guard let handled = Self.count(element[attribute: "h"]) else { return [.ignored("a without a count")] }
            isRequestOut = false
            guard handled &- acknowledged <= outbound &- acknowledged else { return tooHigh(handled) }
            guard handled != acknowledged else { return [] }
            acknowledge(handled)
            requestDue = isWaiting ? requestDue ?? now + pause : nil
            return [.acknowledged(through: handled)]
        }
    }

    /// The session goes on.
    ///
    /// - Parameters:
    ///   - handled: How many of our stanzas the server has handled.
    ///   - now: The time now.
    /// - Returns: What to do: first the acknowledgement, then all that is to be sent again.
    package mutating func resumed(handled: UInt32, at now: Duration) -> [Action] {
        let (distance, waiting) = (handled &- acknowledged, outbound &- acknowledged)
        let before = acknowledged
        if mayHaveSentMore && (kept.isEmpty || distance > waiting) {
            // After a crash more may have been sent than was saved: a count above it means that all was handled. What was
            // sent, was not handled, and whose bytes are gone does not exist for the server: its number is given anew.
            guard distance < 1 << 31 else { return tooHigh(handled) }
            (outbound, acknowledged, forgotten) = (handled, handled, 0)
            (kept, keptSize) = ([], 0)
        } else {
            guard distance <= waiting else { return tooHigh(handled) }
            acknowledge(handled)
        }
        mayHaveSentMore = false
        (isRequestOut, sinceRequest) = (false, 0)
        if isWaiting { requestDue = now + pause }
        return (before == handled ? [] : [.acknowledged(through: handled)]) + kept.map { .send($0) }
    }

    private mutating func acknowledge(_ handled: UInt32) {
        var count = handled &- acknowledged
        acknowledged = handled
        let lost = min(forgotten, count)
        forgotten &-= lost
        count &-= lost
        let done = min(Int(clamping: count), kept.count)
        keptSize -= kept.prefix(done).reduce(0) { $0 + $1.count }
        if done == kept.count {
            // Frees the storage: an idle connection keeps none.
            kept = []
        } else {
            kept.removeFirst(done)
        }
    }

    /// Section 6.
    private func tooHigh(_ handled: UInt32) -> [Action] {
        let detail = Element(
            "handled-count-too-high", namespace: Namespace.streamManagement,
            attributes: [.init("h", "\(handled)"), .init("send-count", "\(outbound)")])
        var error = StreamError(.undefinedCondition).element
        error.children.append(.element(detail))
        return [.fail(.handledCountTooHigh, farewell: error.serialized(inside: Namespace.client))]
    }

    private static let question = Array("<r xmlns='\(Namespace.streamManagement)'/>".utf8)

    /// Whether a count is at or behind another one, as far as 32 bits tell.
    private static func covers(_ count: UInt32, _ other: UInt32) -> Bool { count &- other < 1 << 31 }

    /// An unsigned 32-bit number in digits, and nothing else (B061).
    static func count(_ text: String?) -> UInt32? {
        guard let text, (1...10).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return UInt32(text)
    }
}

extension SessionError.Code {
    /// The server acknowledged stanzas that were never sent.
    package static let handledCountTooHigh = SessionError.Code(name: "handled_count_too_high")
}

extension SessionError {
    static let handledCountTooHigh = SessionError(
        .handledCountTooHigh,
        .retry,
        "the server acknowledged more stanzas than were sent to it"
    )
}
