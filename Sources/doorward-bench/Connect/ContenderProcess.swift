import Glibc

/// A contender that runs, is measured, and waits for "go" to log its accounts in.
struct ContenderProcess {
    let helper: Helper
    let process: MeteredProcess
    private let server: LoadServer

    /// - Parameters:
    ///   - contender: Whom to start.
    ///   - server: Where it logs in.
    ///   - accounts: How many.
    ///   - ramp: How many of them at once.
    ///   - cleanup: Ends it, whatever happens.
    /// - Throws: Where it does not become ready.
    init(
        _ contender: Contender, _ server: LoadServer, accounts: Int, ramp: Int, cleanup: Cleanup
    ) throws(BenchError) {
        let helper = try Helper(
            contender.name,
            contender.command + [
                "127.0.0.1", String(server.port), LoadServer.domain, LoadServer.prefix, "0", String(accounts),
                String(ramp),
            ],
            environment: ["SSL_CERT_FILE": server.authority])
        (self.helper, self.server) = (helper, server)
        cleanup.add { helper.end() }
        do throws(BenchError) {
            _ = try helper.wait(for: "READY", seconds: 30)
            usleep(300_000)
            process = try MeteredProcess(helper.pid)
        } catch {
            helper.end()
            throw error
        }
    }

    /// Ends it at once; the next one's "all online" is not this one's.
    func end() {
        helper.end()
        server.expect(-1)
    }
}
