/// What `doorward-bench roster` was asked for.
struct RosterOptions: Sendable {
    var contacts = 10_000
    var rounds = 5
    var printsJSON = false
    /// Accounts with a hundred contacts each; 0: not measured.
    var fleet = 1000
    /// Where peers by the contract are.
    var peers: String?
    /// Only these parts or contenders; empty for all.
    var only: [String] = []
    /// Nil for the programs beside this one, or those that are built.
    var tools: String?

    func wants(_ name: String) -> Bool { only.isEmpty || only.contains(name) }

    static let helpText = """
        doorward-bench roster [--contacts N] [--rounds N] [--fleet N] [--peers FOLDER] [--only NAME,NAME…] [--json]
                              [--tools FOLDER]

        What contacts cost, in three parts:

          alone   a client that loads a roster, with names, groups and subscriptions, from a scripted server in the same
                  process: as a whole, and again by its version. Processor time is that of the client's thread from the
                  request to the end of the load, reading the XML included; memory is what the heap holds more than
                  before, and the resident memory likewise.
          sides   the same as whole processes against one load server, in turns: a bare bot in C (floor), our library
                  (ours), the service with its store (product), and other libraries. Figures are those of five accounts
                  that log in with that roster less those of five with none, for one account; the product's second login
                  finds the roster in its store.
          fleet   the service with many accounts of 100 contacts each, who are all there: memory beyond that of as many
                  connections of our library, and the growth of the database.

          --contacts N    items of the large roster (10000)
          --rounds N      how often each is measured; medians are shown (5)
          --fleet N       accounts of the last part (1000)
          --peers FOLDER  peers that follow the contract: FOLDER/peers/NAME_bot or NAME_bot.py; what is absent is skipped
          --only …        only these: alone, floor, ours, product, fleet, or peers
          --json          one JSON document instead of words
          --tools FOLDER  has bench-server and bench-floor (beside this program, else they are built by swift build)

        Exit status: 0 measured and within the bounds, 1 failed or over a bound, 2 bad usage. The bounds: 60 ms and 3 MiB for
        10,000 contacts, alone, of our library and of the product at each login; less than any peer; for a fleet of 1,000
        64 MiB of memory and 40 MiB of database.

        """

    init(_ words: ArraySlice<String>) throws(BenchError) {
        var rest = words
        while let option = rest.popFirst() {
            switch option {
            case "--contacts": contacts = try BenchCommand.number(option, rest.popFirst(), 1...50_000)
            case "--rounds": rounds = try BenchCommand.number(option, rest.popFirst(), 1...100)
            case "--fleet": fleet = try BenchCommand.number(option, rest.popFirst(), 0...10_000)
            case "--peers": peers = try BenchCommand.text(option, rest.popFirst())
            case "--only":
                only = try BenchCommand.text(option, rest.popFirst()).split(separator: ",").map { String($0) }
            case "--json": printsJSON = true
            case "--tools": tools = try BenchCommand.text(option, rest.popFirst())
            default:
                throw BenchError(
                    "roster has no option '\(option)'; 'doorward-bench roster --help' lists them", isUsage: true)
            }
        }
    }
}
