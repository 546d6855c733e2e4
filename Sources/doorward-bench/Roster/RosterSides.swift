import Glibc

/// A large roster for whole processes, beside others: figures with it less figures without.
struct RosterSides {
    /// Of one account.
    struct Figures: Sendable {
        /// Microseconds of processor time.
        var cpu: Double
        /// Bytes of resident memory.
        var memory: Double
    }

    /// So many at once: what others do for one account must not wait for another's roster.
    static let accounts = 5
    static let product = "product"
    static let productAgain = "product, again"

    /// What a login leaves to be done (tickets, released memory) is over by then.
    private static let settling: UInt32 = 2_500_000

    let options: RosterOptions
    let cleanup: Cleanup
    private(set) var order: [String] = []
    private(set) var figures: [String: [Figures]] = [:]
    private(set) var absent: [(name: String, why: String)] = []

    init(_ options: RosterOptions, _ cleanup: Cleanup) { (self.options, self.cleanup) = (options, cleanup) }

    mutating func measure() throws(BenchError) {
        var contenders: [Contender] = []
        if options.wants("floor") {
            contenders.append(.floor(try BenchTools.folder(options.tools)))
        }
        if options.wants("ours") {
            contenders.append(try .ours())
        }
        if let folder = options.peers {
            let peers = BenchTools.peers(in: folder, only: [])
            contenders += peers.found.filter { options.wants($0.name) }
            absent = peers.absent.filter { options.wants($0.name) }
        }
        guard !contenders.isEmpty || options.wants(Self.product) else { return }
        let tools = try BenchTools.folder(options.tools, ["bench-server"])
        let files = try DeskFiles()
        let cleanup = cleanup
        cleanup.add { files.remove() }
        let empty = try LoadServer(tools: tools, folder: files.folder, cleanup: cleanup)
        let full = try LoadServer(
            tools: tools, folder: files.folder, settings: ["roster=\(options.contacts)"], cleanup: cleanup)
        for server in [empty, full] { try server.prepare(Self.accounts) }
        for round in 1...options.rounds {
            for contender in contenders where !absent.contains(where: { $0.name == contender.name }) {
                complain("round \(round) of \(options.rounds): \(contender.name)")
                do throws(BenchError) {
                    let (without, with) = (try visit(contender, empty), try visit(contender, full))
                    add(contender.name, with, without)
                } catch  where contender.kind == .peer {
                    absent.append((contender.name, error.description))
                }
            }
            guard options.wants(Self.product) else { continue }
            complain("round \(round) of \(options.rounds): the product")
            let (without, with) = (try productVisit(empty), try productVisit(full))
            add(Self.product, with.first, without.first)
            add(Self.productAgain, with.again, without.again)
        }
    }

    private mutating func add(_ name: String, _ with: Figures, _ without: Figures) {
        if figures[name] == nil { order.append(name) }
        let accounts = Double(Self.accounts)
        figures[name, default: []].append(
            Figures(cpu: (with.cpu - without.cpu) / accounts, memory: (with.memory - without.memory) / accounts))
    }

    private func visit(_ contender: Contender, _ server: LoadServer) throws(BenchError) -> Figures {
        let bot = try ContenderProcess(
            contender, server, accounts: Self.accounts, ramp: Self.accounts, cleanup: cleanup)
        defer { bot.end() }
        let (cpu, memory) = (try bot.process.cpu(), try bot.process.resident())
        bot.helper.say("go")
        // Some say that they are there before they have read the roster.
        _ = try bot.helper.wait(for: "ALLUP", seconds: 300)
        try bot.process.waitUntilQuiet()
        usleep(Self.settling)
        return Figures(cpu: try bot.process.cpu() - cpu, memory: try bot.process.resident() - memory)
    }

    /// The service on a new store, and once more on what the first has left.
    private func productVisit(_ server: LoadServer) throws(BenchError) -> (first: Figures, again: Figures) {
        let files = try DeskFiles()
        let cleanup = cleanup
        cleanup.add { files.remove() }
        defer { files.remove() }
        try files.write(
            accounts: try BenchService.accounts(0..<Self.accounts), password: "pw", port: server.port,
            caFile: server.authority, policy: ProductVisit.policy)
        let first = try start(files, server)
        return (first, try start(files, server))
    }

    private func start(_ files: DeskFiles, _ server: LoadServer) throws(BenchError) -> Figures {
        server.expect(Self.accounts)
        let service = try BenchService(files, cleanup: cleanup)
        defer { service.stop() }
        try server.waitUntilAllAreOnline(seconds: 60) { service.isRunning }
        server.expect(-1)
        try service.process.waitUntilQuiet()
        usleep(Self.settling)
        return Figures(cpu: try service.process.cpu(), memory: try service.process.resident())
    }

    // MARK: Medians

    func cpu(_ name: String) -> Double? { ConnectReport.median((figures[name] ?? []).map { $0.cpu / 1000 }) }

    func memory(_ name: String) -> Double? { ConnectReport.median((figures[name] ?? []).map(\.memory)) }
}
