import FoundationEssentials
import Glibc

/// The contacts of many accounts: what the service holds of them, in memory and on disk.
struct RosterFleet {
    /// Of each account.
    static let contacts = 100

    private static let settling: UInt32 = 3_000_000

    /// Bytes.
    struct Figures: Sendable {
        /// Of as many connections of our library, with no contacts and nothing beside them.
        var connections: Double
        /// Of the service with these accounts, less that of the service with one: without and with their contacts.
        var empty: Double
        var full: Double
        /// Of the database, with contacts less without.
        var disk: Double
    }

    let options: RosterOptions
    let cleanup: Cleanup

    func measure() throws(BenchError) -> Figures {
        raiseDescriptorLimit()
        let tools = try BenchTools.folder(options.tools, ["bench-server"])
        let files = try DeskFiles()
        let cleanup = cleanup
        cleanup.add { files.remove() }
        let empty = try LoadServer(tools: tools, folder: files.folder, cleanup: cleanup)
        let full = try LoadServer(
            tools: tools, folder: files.folder, settings: ["roster=\(Self.contacts)", "present=1"], cleanup: cleanup)
        for server in [empty, full] { try server.prepare(options.fleet) }
        complain("\(options.fleet) connections of the library")
        let connections = try connections(empty)
        complain("the service with one account, with \(options.fleet), and with their contacts")
        let one = try service(empty, 1)
        let (without, with) = (try service(empty, options.fleet), try service(full, options.fleet))
        return Figures(
            connections: connections, empty: without.memory - one.memory, full: with.memory - one.memory,
            disk: with.disk - without.disk)
    }

    private func connections(_ server: LoadServer) throws(BenchError) -> Double {
        let bot = try ContenderProcess(try .ours(), server, accounts: options.fleet, ramp: 50, cleanup: cleanup)
        defer { bot.end() }
        let before = try bot.process.resident()
        bot.helper.say("go")
        _ = try bot.helper.wait(for: "ALLUP", seconds: 60 + options.fleet / 5)
        try bot.process.waitUntilQuiet()
        usleep(Self.settling)
        return try bot.process.resident() - before
    }

    private func service(_ server: LoadServer, _ count: Int) throws(BenchError) -> (memory: Double, disk: Double) {
        let files = try DeskFiles()
        let cleanup = cleanup
        cleanup.add { files.remove() }
        defer { files.remove() }
        try files.write(
            accounts: try BenchService.accounts(0..<count), password: "pw", port: server.port,
            caFile: server.authority, policy: ProductVisit.policy)
        server.expect(count)
        let service = try BenchService(files, cleanup: cleanup)
        defer { service.kill() }
        try server.waitUntilAllAreOnline(seconds: 900) { service.isRunning }
        server.expect(-1)
        try service.process.waitUntilQuiet()
        usleep(Self.settling)
        let memory = try service.process.resident()
        // What was seen of contacts is written too.
        service.stop()
        var status = stat()
        guard stat(files.database, &status) == 0 else { throw BenchError("there is no \(files.database)") }
        return (memory, Double(status.st_size))
    }
}
