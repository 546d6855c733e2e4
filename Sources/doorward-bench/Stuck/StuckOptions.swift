/// What `doorward-bench stuck` was asked for.
struct StuckOptions: Sendable {
    var accounts = 100
    var requests = 1000
    var rate = 100
    var rounds = 3
    var printsJSON = false
    /// Nil for the programs beside this one, or those that are built.
    var tools: String?

    static let helpText = """
        doorward-bench stuck [--accounts N] [--requests N] [--rate N] [--rounds N] [--json] [--tools FOLDER]

        The service with one account more, whose module loops for ever at its first event; beside it, in turns, the same
        service without that. Both have to keep to their answers: compared is the time from a request to its answer that
        one in a hundred is above (p99), of all accounts.

          --accounts N    accounts whose module does nothing (100)
          --requests N    requests of a round (1000), to all accounts in turn, the stuck one's too
          --rate N        requests a second (100)
          --rounds N      how often each is measured; medians are shown (3)
          --json          one JSON document instead of words
          --tools FOLDER  has bench-server (beside this program, else it is built by swift build)

        Exit status: 0 measured and within the bound (1.5 times, or 5 ms more), 1 failed or over it, 2 bad usage.

        """

    init(_ words: ArraySlice<String>) throws(BenchError) {
        var rest = words
        while let option = rest.popFirst() {
            switch option {
            case "--accounts": accounts = try BenchCommand.number(option, rest.popFirst(), 1...900)
            case "--requests": requests = try BenchCommand.number(option, rest.popFirst(), 100...100_000)
            case "--rate": rate = try BenchCommand.number(option, rest.popFirst(), 1...10_000)
            case "--rounds": rounds = try BenchCommand.number(option, rest.popFirst(), 1...100)
            case "--json": printsJSON = true
            case "--tools": tools = try BenchCommand.text(option, rest.popFirst())
            default:
                throw BenchError(
                    "stuck has no option '\(option)'; 'doorward-bench stuck --help' lists them", isUsage: true)
            }
        }
    }
}
