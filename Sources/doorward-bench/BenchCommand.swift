/// The command line of the benchmarks.
enum BenchCommand {
    /// What is to be printed.
    case help(String)
    case desk(DeskOptions)
    case connect(ConnectOptions)
    case micro(MicroOptions)
    case bot(BotOptions)
    case roster(RosterOptions)
    case stuck(StuckOptions)
    /// The words behind it.
    case service([String])

    private static let overview = """
        doorward-bench connect   what connections cost, beside a bare bot in C and other libraries
        doorward-bench desk      the service while a flood of requests is worked off
        doorward-bench micro     single pieces of work, beside C
        doorward-bench bot       the bot that 'connect' measures
        doorward-bench roster    what a large roster costs, and the contacts of a thousand accounts
        doorward-bench stuck     what a module that never comes back costs the other accounts
        doorward-bench service   the service that these measure

        'doorward-bench NAME --help' explains one. docs/benchmarks.md says what the figures mean.

        """

    private static let deskHelp = """
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
            self = .help(Self.overview)
            return
        }
        let texts = [
            "connect": ConnectOptions.helpText, "desk": Self.deskHelp, "micro": MicroOptions.helpText,
            "bot": BotOptions.helpText, "roster": RosterOptions.helpText, "stuck": StuckOptions.helpText,
            "service": BenchService.helpText,
        ]
        guard let text = texts[name] else {
            let names = texts.keys.sorted().joined(separator: ", ")
            throw BenchError("there is no benchmark '\(name)'; there are: \(names)", isUsage: true)
        }
        let words = arguments.dropFirst()
        guard name != "service" || words.isEmpty else {
            self = .service(Array(words))
            return
        }
        guard !words.contains("--help"), !words.contains("-h") else {
            self = .help(text)
            return
        }
        switch name {
        case "connect": self = .connect(try ConnectOptions(words))
        case "micro": self = .micro(try MicroOptions(words))
        case "bot": self = .bot(try BotOptions(words))
        case "roster": self = .roster(try RosterOptions(words))
        case "stuck": self = .stuck(try StuckOptions(words))
        default: self = .desk(try Self.desk(words))
        }
    }

    private static func desk(_ words: ArraySlice<String>) throws(BenchError) -> DeskOptions {
        var options = DeskOptions()
        var rest = words
        while let option = rest.popFirst() {
            switch option {
            case "--accounts": options.accounts = try number(option, rest.popFirst(), 1...1000)
            case "--requests": options.requests = try number(option, rest.popFirst(), 1...10_000)
            case "--status": options.statusCalls = try number(option, rest.popFirst(), 1...10_000)
            case "--service": options.service = try text(option, rest.popFirst())
            case "--waiting": options.isWaiting = true
            case "--json": options.printsJSON = true
            case "--keep": options.keepsFolder = true
            default:
                throw BenchError(
                    "desk has no option '\(option)'; 'doorward-bench desk --help' lists them", isUsage: true)
            }
        }
        return options
    }

    /// The value of an option.
    static func text(_ option: String, _ text: String?) throws(BenchError) -> String {
        guard let text else { throw BenchError("\(option) needs a value", isUsage: true) }
        return text
    }

    /// The same, where it is a number.
    static func number(
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
