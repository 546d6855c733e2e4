/// What `doorward-bench roster` was asked for.
struct RosterOptions: Sendable {
    var contacts = 10_000
    var rounds = 5
    var printsJSON = false

    static let helpText = """
        doorward-bench roster [--contacts N] [--rounds N] [--json]

        Loads a roster, with names, groups and subscriptions, from a scripted server in the same process: as a whole, and
        again by its version. Processor time is that of the client's thread from the request to the end of the load,
        reading the XML included; memory is what the heap holds more than before, and the resident memory likewise.

          --contacts N    items of the roster (10000)
          --rounds N      how often each is measured; medians are shown (5)
          --json          one JSON document instead of words

        Exit status: 0 measured and within the bounds (60 ms and 3 MiB for 10,000 contacts), 1 failed or over a bound,
        2 bad usage.

        """

    init(_ words: ArraySlice<String>) throws(BenchError) {
        var rest = words
        while let option = rest.popFirst() {
            switch option {
            case "--contacts": contacts = try BenchCommand.number(option, rest.popFirst(), 1...50_000)
            case "--rounds": rounds = try BenchCommand.number(option, rest.popFirst(), 1...100)
            case "--json": printsJSON = true
            default:
                throw BenchError(
                    "roster has no option '\(option)'; 'doorward-bench roster --help' lists them", isUsage: true)
            }
        }
    }
}
