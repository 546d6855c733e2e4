import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("The cache of TLS sessions")
struct TLSSessionCacheTests {
    private let workshop: CertificateWorkshop
    private let context: TLSContext

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
        context = try workshop.client()
    }

    private func settings(_ domain: String, _ cache: TLSSessionCache, port: Int = 5222) -> TLSSettings {
        var settings = TLSSettings(domain: domain, context: context)
        settings.sessions = cache
        settings.peer = "here:\(port)"
        return settings
    }

    /// Real sessions, one for each number.
    private func sessions(_ count: Int, in cache: TLSSessionCache) async throws -> [TLSSession] {
        var options = TLSServerOptions()
        options.tickets = 1
        let server = try workshop.server(options: options)
        let client = settings("example.org", cache)
        let key = TLSSessionCache.Key(client)
        return try await withLoop { loop in
            var sessions: [TLSSession] = []
            for _ in 0..<count {
                try await TLSMeeting.passing(on: loop, server: server, client: client)
                sessions.append(try #require(cache.take(key)))
            }
            return sessions
        }
    }

    @Test("gives the newest first, each once")
    func order() async throws {
        let cache = TLSSessionCache()
        let key = TLSSessionCache.Key(settings("example.org", cache))
        let some = try await sessions(4, in: cache)
        for session in some { _ = cache.keep(session, for: key, replacing: nil) }
        for session in some.reversed() { #expect(cache.take(key) === session) }
        #expect(cache.take(key) == nil)
        #expect(cache.count == 0)
    }

    @Test("keeps no more than its capacity, and lets the oldest go, whatever is kept, taken and replaced")
    func capacity() async throws {
        let cache = TLSSessionCache(capacity: 8)
        let session = try #require(try await sessions(1, in: cache).first)
        let keys = (0..<50).map { TLSSessionCache.Key(settings("d\($0).org", cache)) }
        for key in keys { _ = cache.keep(session, for: key, replacing: nil) }
        #expect(cache.count == 8)
        #expect(keys.map { cache.take($0) != nil } == (0..<50).map { $0 >= 42 })
        // A model of it: a list, the oldest first.
        var model: [(key: Int, number: UInt64?)] = []
        var state: UInt64 = 7
        for _ in 0..<5000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = Int(state >> 33) % 12
            switch (state >> 40) % 4 {
            case 0:
                let isThere = cache.take(keys[key]) != nil
                let index = model.lastIndex { $0.key == key }
                #expect(isThere == (index != nil))
                if let index { model.remove(at: index) }
            case 1:
                let old = model.first?.number
                if old != nil { model.removeFirst() }
                model.append((key, cache.keep(session, for: keys[key], replacing: old)))
            default:
                model.append((key, cache.keep(session, for: keys[key], replacing: nil)))
                if model.count > 8 { model.removeFirst() }
            }
            #expect(cache.count == model.count)
        }
    }

    @Test("forgets a domain's sessions at a word, at all its servers, and nobody else's")
    func forget() async throws {
        let cache = TLSSessionCache()
        let session = try #require(try await sessions(1, in: cache).first)
        for domain in ["example.org", "example.net", "sub.example.org"] {
            for port in [5222, 5223] {
                for _ in 0..<3 {
                    let key = TLSSessionCache.Key(settings(domain, cache, port: port))
                    _ = cache.keep(session, for: key, replacing: nil)
                }
            }
        }
        cache.forget(domain: "example.org")
        #expect(cache.count == 12)
        #expect(cache.take(TLSSessionCache.Key(settings("example.org", cache))) == nil)
        cache.forget(domain: "example.org")
        cache.forget(domain: "")
        #expect(cache.count == 12)
        cache.forget(TLSSessionCache.Key(settings("example.net", cache)))
        #expect(cache.count == 9)
    }

    @Test("keeps nothing longer than the server or RFC 8446 lets it (7 days), nor past its trust")
    func age() async throws {
        let time = ManualTime(wallMilliseconds: SystemTime().wallMilliseconds)
        let cache = TLSSessionCache(time: time)
        let key = TLSSessionCache.Key(settings("example.org", cache))
        let session = try #require(try await sessions(1, in: cache).first)
        let (now, hint) = (cache.now, Int64(7200))
        // OpenSSL's server gives tickets for two hours.
        #expect(abs(session.usableUntil(longest: 7 * 24 * 3600) - now - hint) <= 30)
        #expect(abs(session.usableUntil(longest: 100) - now - 100) <= 30)
        _ = cache.keep(session, for: key, replacing: nil)
        time.jumpWall(byMilliseconds: (hint - 60) * 1000)
        #expect(cache.take(key) != nil)
        _ = cache.keep(session, for: key, replacing: nil)
        time.jumpWall(byMilliseconds: 120_000)
        #expect(cache.take(key) == nil)
        #expect(cache.keep(session, for: key, replacing: nil) == nil)
        #expect(cache.count == 0)
    }

    @Test("may be used by several loops at once")
    func threads() async throws {
        var options = TLSServerOptions()
        options.tickets = 2
        let server = try workshop.server(options: options)
        let cache = TLSSessionCache(capacity: 5)
        let client = settings("example.org", cache)
        let resumed = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await withLoop { loop in
                        for _ in 0..<15 {
                            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
                            if ends.client.isResumed { resumed.withLock { $0 += 1 } }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(resumed.withLock { $0 } > 0)
        #expect(cache.count <= 5)
    }
}
