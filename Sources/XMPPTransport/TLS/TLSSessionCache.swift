import COpenSSL

/// The TLS sessions that may be taken up again, of all accounts (RFC 8446 2.2, RFC 5077): a resumed handshake costs a
/// third, and shares the memory of the server's certificates.
///
/// A session is found only under the very rules that it was verified by: the key has them all. Each is handed out once
/// (RFC 8446 C.4) and comes back with the next ticket, so that a busy key has as many as there are handshakes at once.
package final class TLSSessionCache: Sendable {
    /// How long the certificates of the first handshake are relied upon; resumed sessions inherit what is left.
    private static let longestTrust: Int64 = 24 * 3600
    /// RFC 8446 4.6.1.
    private static let longestTicket: Int64 = 7 * 24 * 3600

    /// The rules of a session.
    struct Key: Hashable {
        /// Bytes, not texts: equal means the same bytes.
        private let peer: [UInt8]
        private let domain: [UInt8]
        private let unicodeDomain: [UInt8]?
        /// Of the context: its authorities as they were in the file then.
        private let context: UInt64
        private let pins: Set<[UInt8]>
        /// The fingerprint of the client's certificate.
        private let identity: [UInt8]?

        init(_ settings: TLSSettings) {
            peer = Array(settings.peer.utf8)
            domain = Array(settings.domain.utf8)
            unicodeDomain = settings.unicodeDomain.map { Array($0.utf8) }
            context = settings.context.number
            pins = Set(settings.pins)
            identity = settings.identity?.fingerprint
        }

        func isFor(_ domain: String) -> Bool { self.domain.elementsEqual(domain.utf8) }
    }

    private struct Entry {
        let key: Key
        let session: TLSSession
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// The numbers of a key's entries, the newest last.
        var numbers: [Key: [UInt64]] = [:]
        /// All numbers from the oldest on, with some that are gone already.
        var order: [UInt64] = []
        var last: UInt64 = 0

        mutating func remove(_ number: UInt64) {
            guard let entry = entries.removeValue(forKey: number) else { return }
            numbers[entry.key]?.removeAll { $0 == number }
            if numbers[entry.key]?.isEmpty == true { numbers[entry.key] = nil }
        }
    }

    private let capacity: Int
    private let time: any TimeSource
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: the sessions that are kept; over it, the oldest goes. One whose connection is up costs nothing, as
    ///     the connection has it too; any other about 2 KB, or 12 KB with certificates that it shares with none.
    ///   - time: tells what is too old.
    package init(capacity: Int = 10_000, time: any TimeSource = SystemTime()) {
        self.capacity = max(capacity, 1)
        self.time = time
    }

    package var count: Int { state.withLock { $0.entries.count } }

    /// Drops a domain's sessions: to be called where a server ends a stream with `reset` (RFC 6120 4.9.3.16), so that the
    /// next handshake looks at its certificate anew.
    package func forget(domain: String) {
        state.withLock { state in
            for (key, numbers) in state.numbers where key.isFor(domain) { numbers.forEach { state.remove($0) } }
        }
    }

    /// Drops the sessions of these rules.
    func forget(_ key: Key) {
        state.withLock { state in state.numbers[key]?.forEach { state.remove($0) } }
    }

    /// Seconds since 1970.
    var now: Int64 { time.wallMilliseconds / 1000 }

    /// Until when certificates that were verified now may be relied upon.
    func trust(certificatesUntil end: Int64) -> Int64 { min(end, now + Self.longestTrust) }

    /// Keeps a session.
    /// - Parameters:
    ///   - session: what OpenSSL gave.
    ///   - key: the rules that it was verified by.
    ///   - old: the number of one of the same connection, which this one replaces: a server that sends tickets without end
    ///     has one place here.
    /// - Returns: its number.
    func keep(_ session: TLSSession, for key: Key, replacing old: UInt64?) -> UInt64? {
        guard session.usableUntil(longest: Self.longestTicket) > now else { return nil }
        return state.withLock { state in
            if let old { state.remove(old) }
            state.last += 1
            let number = state.last
            state.entries[number] = Entry(key: key, session: session)
            state.numbers[key, default: []].append(number)
            state.order.append(number)
            trim(&state)
            return number
        }
    }

    /// Takes the newest session out that is still good.
    func take(_ key: Key) -> TLSSession? {
        let now = now
        return state.withLock { state in
            while let number = state.numbers[key]?.last, let session = state.entries[number]?.session {
                state.remove(number)
                if session.isResumable && now < session.usableUntil(longest: Self.longestTicket) { return session }
            }
            return nil
        }
    }

    private func trim(_ state: inout State) {
        if state.entries.count > capacity {
            let oldest = state.order.firstIndex { state.entries[$0] != nil }
            if let oldest {
                state.remove(state.order[oldest])
                state.order.removeFirst(oldest + 1)
            }
        }
        if state.order.count > 2 * state.entries.count + 64 {
            state.order = state.order.filter { state.entries[$0] != nil }
        }
    }
}
