import DoorwardConsole
import Glibc
import XMPPCore
import XMPPTransport

/// `doorward-bench service …`, which is `doorward …` with the modules of the benchmarks, as a process of its own.
struct BenchService {
    static let helpText = """
        doorward-bench service WORDS…

        The same as 'doorward WORDS…', with one module more, 'spinner', whose first event never comes back. The benchmarks
        start it.

        """

    private let child: ChildProcess
    let process: MeteredProcess

    /// - Parameters:
    ///   - files: With its configuration; they get its log.
    ///   - cleanup: Ends it.
    /// - Throws: Where it does not start.
    init(_ files: DeskFiles, cleanup: Cleanup) throws(BenchError) {
        let program = "\(try BenchTools.ownFolder())/doorward-bench"
        do throws(DemoError) {
            child = try ChildProcess(
                program, ["service", "run", "--config", files.configuration], output: files.serviceLog)
        } catch {
            throw BenchError(error.description)
        }
        let child = child
        cleanup.add { child.kill() }
        process = try MeteredProcess(child.pid)
    }

    var isRunning: Bool { child.report() == nil }

    /// In order, so that its database is one file.
    func stop() { child.stop(patience: .seconds(30)) }

    func kill() { child.kill() }

    /// Addresses of the load server.
    static func accounts(_ range: Range<Int>) throws(BenchError) -> [BareJID] {
        var addresses: [BareJID] = []
        for number in range { addresses.append(try address("\(LoadServer.prefix)\(number)@\(LoadServer.domain)")) }
        return addresses
    }
}

extension MeteredProcess {
    /// Waits until it has nothing more to do.
    ///
    /// - Throws: Where it has after a minute.
    func waitUntilQuiet() throws(BenchError) {
        var mark = try cpu()
        for _ in 0..<120 {
            usleep(500_000)
            if try lap(&mark) < 3000 { return }
        }
        throw BenchError("a process that was measured does not come to rest")
    }
}
