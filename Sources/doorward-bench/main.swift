import Dispatch
import DoorwardConsole
import Glibc
import XMPPTransport

// Before any other thread is there, so that Ctrl-C reaches the loop and the servers are ended with us.
SignalSource.block([SIGINT, SIGTERM])
signal(SIGPIPE, SIG_IGN)
do throws(BenchError) {
    switch try BenchCommand(Array(CommandLine.arguments.dropFirst())) {
    case .help(let text):
        print(text, terminator: "")
    case .micro(let options):
        exit(MicroBench.runAndPrint(options))
    case .connect(let options):
        exit(ConnectBench.runAndPrint(options))
    case .bot(let options):
        let fleet: BotFleet
        do { fleet = try BotFleet(options) } catch { throw BenchError(String(describing: error)) }
        fleet.run()
    case .stuck(let options):
        exit(StuckBench.runAndPrint(options))
    case .service(let words):
        DoorwardMain.run(words, modules: [Spinner.self])
    case .roster(let options):
        // Unstructured, as below.
        Task.detached { exit(await RosterBench.runAndPrint(options)) }
        while true { pause() }
    case .desk(let options):
        // Unstructured: the one root of all other tasks. The main thread only waits, since as Swift's main executor it
        // would take the signals.
        Task.detached { exit(await DeskBench.runAndPrint(options)) }
        while true { pause() }
    }
} catch {
    complain(error.description)
    exit(error.isUsage ? 2 : 1)
}
