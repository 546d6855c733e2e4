import DoorwardConsole
import Glibc
import XMPPCore

/// `doorward run` with a policy and a store on disk, at 100 requests a second.
struct ProductVisit {
    static let policy = """
        version: 1
        policy: bench
        subscription:
          - rule: our own people
            when: { domain: a.test }
            then: { accept: { subscribe_back: true } }
          - rule: everyone else
            then: reject

        """

    /// Confirmations are recorded within 1.5 seconds.
    private static let settling: UInt32 = 2_000_000

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
        var log = try ServiceLog(files.serviceLog)
        try server.waitUntilAllAreOnline(seconds: 900) { service.report() == nil }
        usleep(3_000_000)
        var figures = VisitFigures()
        figures.memory = try process.resident() / Double(accounts)
        let before = try work(of: service, &log)
        var mark = try process.cpu()
        let load = try server.load(options.requests, rate: 100)
        // What is still to be confirmed and committed belongs to it.
        usleep(Self.settling)
        figures.decision = try process.lap(&mark) / Double(options.requests)
        let after = try work(of: service, &log)
        let seconds = load.seconds + Double(Self.settling) / 1e6
        figures.reads = Double(after.reads - before.reads) / seconds
        figures.commits = Double(after.commits - before.commits) / seconds
        figures.latency = load.median
        figures.wrong = load.wrong + options.requests - load.answered
        return figures
    }

    /// How often the service has read from its streams and written to its disk so far, as it logs it.
    private func work(
        of service: ChildProcess, _ log: inout ServiceLog
    ) throws(BenchError) -> (reads: Int, commits: Int) {
        log.update()
        let known = log.figures.count
        Glibc.kill(service.pid, SIGUSR1)
        for _ in 0..<500 {
            log.update()
            if log.figures.count > known, let last = log.figures.last, let reads = last["reads"].flatMap({ Int($0) }),
                let commits = last["commits"].flatMap({ Int($0) })
            {
                return (reads, commits)
            }
            usleep(10_000)
        }
        throw BenchError("the service does not tell its figures")
    }
}
