/// The command line of the benchmarks.
enum BenchCommand {
    case help
    case desk(DeskOptions)
    case connect(ConnectOptions)
    case bot(BotOptions)

    static let helpText = """
        doorward-bench desk [--accounts N] [--requests N] [--status N] [--waiting] [--json]
                            [--service FILE] [--keep]

        Measures the service while a flood of requests is worked off: a private Prosody, the service in a process of
        its own, and one guest for each request.

          --accounts N    accounts of the service (20)
          --requests N    requests, each of another guest (500)
          --status N      status calls over the control socket meanwhile (100)
          --waiting       the requests wait at the server when the service starts; otherwise they come to accounts that
                          are online
          --json          one JSON document instead of words
          --service FILE  the executable to measure (the doorward beside this program)
          --keep          do not remove the folder with configuration, database and logs; print its path

        Exit status: 0 measured, 1 failed or a request was answered wrongly, 2 bad usage.

        """

    init(_ arguments: [String]) throws(BenchError) {
        guard let name = arguments.first, name != "--help", name != "-h", name != "help" else {
            self = .help
            return
        }
        if name == "connect" || name == "bot" {
            guard !arguments.contains("--help"), !arguments.contains("-h") else {
                self = .help
                return
            }
            self =
                name == "bot"
                ? .bot(try BotOptions(arguments.dropFirst())) : .connect(try ConnectOptions(arguments.dropFirst()))
            return
        }
        guard name == "desk" else {
            throw BenchError("there is no benchmark '\(name)'; there are: connect, desk", isUsage: true)
        }
        var options = DeskOptions()
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            switch option {
            case "--accounts": options.accounts = try Self.number(option, rest.popFirst(), 1...1000)
            case "--requests": options.requests = try Self.number(option, rest.popFirst(), 1...10_000)
            case "--status": options.statusCalls = try Self.number(option, rest.popFirst(), 1...10_000)
            case "--service":
                guard let file = rest.popFirst() else { throw BenchError("--service needs a file", isUsage: true) }
                options.service = file
            case "--waiting": options.isWaiting = true
            case "--json": options.printsJSON = true
            case "--keep": options.keepsFolder = true
            case "--help", "-h":
                self = .help
                return
            default:
                throw BenchError("desk has no option '\(option)'; 'doorward-bench --help' lists them", isUsage: true)
            }
        }
        self = .desk(options)
    }

    private static func number(
        _ option: String, _ text: String?, _ range: ClosedRange<Int>
    ) throws(BenchError) -> Int {
        guard let text, let number = Int(text), range.contains(number) else {
            throw BenchError(
                "\(option) needs a number from \(range.lowerBound) to \(range.upperBound)", isUsage: true)
        }
        return number
    }
}

/// What `doorward-bench desk` was asked for.
struct DeskOptions: Sendable {
    var accounts = 20
    var requests = 500
    var statusCalls = 100
    /// Whether the requests wait at the server before the service starts.
    var isWaiting = false
    var printsJSON = false
    var keepsFolder = false
    /// Nil for the `doorward` beside this program.
    var service: String?
}
