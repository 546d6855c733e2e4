import DoorwardConsole
import Glibc
import XMPPCore

/// `doorward run` with a policy and a store on disk, at 100 requests a second.
struct ProductVisit {
    private static let policy = """
        version: 1
        policy: bench
        subscription:
          - rule: our own people
            when: { domain: a.test }
            then: { accept: { subscribe_back: true } }
          - rule: everyone else
            then: reject

        """

    let program: String
    let server: LoadServer
    let accounts: Int
    let options: ConnectOptions
    let cleanup: Cleanup

    func run() throws(BenchError) -> VisitFigures {
        let files = try DeskFiles()
        cleanup.add { files.remove() }
        defer { files.remove() }
        var addresses: [BareJID] = []
        for number in 0..<accounts {
            addresses.append(try address("\(LoadServer.prefix)\(number)@\(LoadServer.domain)"))
        }
        try files.write(
            accounts: addresses, password: "pw", port: server.port, caFile: server.authority, policy: Self.policy)
        server.expect(accounts)
        defer { server.expect(-1) }
        let service: ChildProcess
        do throws(DemoError) {
            service = try ChildProcess(
                program, ["run", "--config", files.configuration], output: files.serviceLog)
        } catch {
            throw BenchError(error.description)
        }
        cleanup.add { service.kill() }
        defer { service.kill() }
        let process = try MeteredProcess(service.pid)
        try server.waitUntilAllAreOnline(seconds: 900) { service.report() == nil }
        usleep(3_000_000)
        var figures = VisitFigures()
        figures.memory = try process.resident() / Double(accounts)
        var mark = try process.cpu()
        let load = try server.load(options.requests, rate: 100)
        // What is still to be confirmed and committed belongs to it.
        usleep(1_000_000)
        figures.decision = try process.lap(&mark) / Double(options.requests)
        figures.latency = load.median
        figures.wrong = load.wrong + options.requests - load.answered
        return figures
    }
}
