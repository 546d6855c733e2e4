/// What `doorward-bench micro` was asked for.
struct MicroOptions: Sendable {
    var rounds = 5
    var printsJSON = false
    /// Nil for the programs beside this one, or those that are built.
    var tools: String?

    static let helpText = """
        doorward-bench micro [--rounds N] [--json] [--tools FOLDER]

        Measures single pieces of work by their processor time, in turns with the least that the same costs in C: an
        address in ASCII read in each of its spellings, a stanza read, the keys of a SCRAM login derived.

          --rounds N      how often each is measured; medians are shown (5)
          --json          one JSON document instead of words
          --tools FOLDER  has bench-micro (beside this program, else it is built by swift build)

        Exit status: 0 measured and within the bounds, 1 failed or over a bound, 2 bad usage.

        """

    init(_ words: ArraySlice<String>) throws(BenchError) {
        var rest = words
        while let option = rest.popFirst() {
            switch option {
            case "--rounds": rounds = try BenchCommand.number(option, rest.popFirst(), 1...100)
            case "--json": printsJSON = true
            case "--tools": tools = try BenchCommand.text(option, rest.popFirst())
            default:
                throw BenchError(
                    "micro has no option '\(option)'; 'doorward-bench micro --help' lists them", isUsage: true)
            }
        }
    }
}
