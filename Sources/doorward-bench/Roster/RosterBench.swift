import DoorwardConsole
import Glibc
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit
import XMPPTransport

/// `doorward-bench roster`: what a large roster costs.
struct RosterBench {
    /// Of one load.
    struct Load: Sendable {
        /// Milliseconds of the client's thread.
        var cpu = 0.0
        var heapBytes = 0
        var residentKiB = 0
    }

    /// What is noted on the client's thread, in one load.
    private struct Notes: Sendable {
        var began = 0.0
        var ended = 0.0
        var heap = 0
        var count = 0
    }

    private static let account = BareJID(preparedLocal: "bench", preparedDomain: "example.org")

    private let options: RosterOptions
    private let server: ScriptedServer
    private let notes = Locked(Notes())

    /// Measures, prints, and returns the status to exit with.
    static func runAndPrint(_ options: RosterOptions) async -> Int32 {
        do {
            var report = RosterReport(options)
            if options.wants("alone") {
                let bench = try await RosterBench(options)
                for round in 1...options.rounds {
                    complain("round \(round) of \(options.rounds): alone")
                    report.whole.append(try await bench.load(isKept: false))
                    report.versioned.append(try await bench.load(isKept: true))
                }
                bench.server.stop()
            }
            return cleaningUp { cleanup throws(BenchError) in
                var sides = RosterSides(options, cleanup)
                try sides.measure()
                report.sides = sides
                if options.fleet > 0, options.wants("fleet") {
                    report.fleet = try RosterFleet(options: options, cleanup: cleanup).measure()
                }
                print(options.printsJSON ? report.json.indented : report.words)
                return report.isWithin
            }
        } catch {
            complain(String(describing: error))
            return 1
        }
    }

    private init(_ options: RosterOptions) async throws {
        self.options = options
        server = try ScriptedServer()
        let roster = Self.items(options.contacts).map { item in
            ServerRosterItem(
                item.jid, subscription: item.subscription.rawValue, name: item.name, groups: item.groups)
        }
        await server.add(Self.account, password: "pw", roster: roster)
        await server.behave { $0.keepsRosterVersions = true }
    }

    /// Somewhat as people have them: long names and long addresses among them, and few groups.
    private static func items(_ count: Int) -> some Sequence<RosterItem> {
        (0..<count).lazy.map { number in
            RosterItem(
                jid: BareJID(preparedLocal: "contact\(number)", preparedDomain: "host\(number % 40).example.org"),
                name: "Contact Number \(number)",
                subscription: RosterItem.Subscription.allCases[number % 4],
                groups: number % 10 == 0 ? ["Group \(number % 20)", "All"] : ["Group \(number % 20)"])
        }
    }

    /// One client that logs in and loads the roster.
    ///
    /// - Parameter isKept: Whether it has the items already, and their version: that of a scripted server whose roster nobody
    ///   has changed.
    /// - Returns: What it cost.
    /// - Throws: Where it cannot be measured.
    private func load(isKept: Bool) async throws -> Load {
        var options = Client.Options()
        options.transport = server.transport()
        // What is measured happens on the client's thread, between two events of the module.
        let notes = notes
        let loaded = AsyncStream<Bool>.makeStream()
        HeapFigures.trim()
        let resident = try ProcessFigures(of: getpid()).residentKiB
        let sink = loaded.continuation
        let contacts = self.options.contacts
        options.modules = {
            notes.withLock { $0.heap = HeapFigures.bytesInUse }
            let kept = isKept ? Roster(Self.items(contacts)) : Roster()
            // What making it has left is not the load's.
            HeapFigures.trim()
            return [
                RosterModule(account: Self.account, cached: kept, version: isKept ? "1" : nil) { event in
                    switch event {
                    case .began: notes.withLock { $0.began = Self.threadTime() }
                    case .ended(.failed): sink.yield(false)
                    case .ended:
                        notes.withLock { $0.ended = Self.threadTime() }
                        sink.yield(true)
                    case .item, .changed, .refused, .left: break
                    }
                }
            ]
        }
        let client = try Client(account: Self.account, password: "pw", options: options)
        let running = Task { try await client.run() }
        for await isThere in loaded.stream {
            guard isThere else { throw BenchError("the roster could not be loaded") }
            break
        }
        // Behind what the load left to be freed.
        try await server.barrier(Self.account)
        _ = await client.withModule(RosterModule.self) { roster in
            notes.withLock { $0.count = roster.items.count }
        }
        let heap = HeapFigures.bytesInUse
        // The client gives back by itself what the reading of something so large has left, a second later.
        try await Task.sleep(for: .milliseconds(1300))
        let after = try ProcessFigures(of: getpid()).residentKiB
        let figures = notes.withLock { $0 }
        await client.stop()
        try await running.value
        guard figures.count == contacts else { throw BenchError("\(figures.count) contacts arrived") }
        return Load(
            cpu: figures.ended - figures.began, heapBytes: heap - figures.heap, residentKiB: after - resident)
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
