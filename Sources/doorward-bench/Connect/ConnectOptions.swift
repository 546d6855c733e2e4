/// What `doorward-bench connect` was asked for.
struct ConnectOptions: Sendable {
    var accounts = [200, 1000, 5000]
    var rounds = 3
    /// Requests of the open loop, at 100 a second.
    var requests = 500
    /// Requests of the closed loop.
    var closedRequests = 10_000
    var idleSeconds = 20
    /// Logins that all begin at once, for the longest turn of the loop; nil for as many as there are accounts, and at
    /// most 2,000.
    var loginsAtOnce: Int?
    /// What is logged in at once, at the end.
    var storm: Int { loginsAtOnce ?? min(2000, accounts.max() ?? 0) }
    /// Whether the product, `doorward run` with policy and store, is measured too.
    var measuresProduct = true
    /// Where peers by the contract are.
    var peers: String?
    /// Only these contenders; empty for all.
    var only: [String] = []
    var json: String?
    /// Nil for the `doorward` beside this program.
    var service: String?
    /// Nil for the programs beside this one, or those that are built.
    var tools: String?

    func wants(_ name: String) -> Bool { only.isEmpty || only.contains(name) }

    static let helpText = """
        doorward-bench connect [--accounts N,N…] [--rounds N] [--requests N] [--closed N] [--idle SECONDS]
                               [--at-once N] [--no-product] [--peers FOLDER] [--only NAME,NAME…] [--json FILE]
                               [--service FILE] [--tools FOLDER]

        Measures what connections cost, beside a bare bot in C (`floor`) and other libraries, in turns against one load
        server: processor time of a login, of a login again, of a decision; memory; latency.

          --accounts …    how many accounts are online (200,1000,5000)
          --rounds N      how often each is measured; medians are shown (3)
          --requests N    requests at 100 a second (500)
          --closed N      requests of which 64 are unanswered at any time (10000)
          --idle SECONDS  how long nothing happens, where 1,000 accounts are online (20; 0: not measured)
          --at-once N     logins that begin all at once, at the end, for the longest turn of our loop (as many as
                          --accounts, and at most 2000; 0: not measured)
          --no-product    without `doorward run`
          --peers FOLDER  peers that follow the contract: FOLDER/peers/NAME_bot or NAME_bot.py; what is absent is skipped
          --only …        only these: floor, ours, product, or peers
          --json FILE     also writes all figures there
          --service FILE  the service to measure (the doorward beside this program)
          --tools FOLDER  has bench-server and bench-floor (beside this program, else they are built by swift build)

        """

    init(_ words: ArraySlice<String>) throws(BenchError) {
        var rest = words
        while let option = rest.popFirst() {
            switch option {
            case "--accounts": accounts = try Self.numbers(option, rest.popFirst())
            case "--rounds": rounds = try BenchCommand.number(option, rest.popFirst(), 1...100)
            case "--requests": requests = try BenchCommand.number(option, rest.popFirst(), 0...100_000)
            case "--closed": closedRequests = try BenchCommand.number(option, rest.popFirst(), 0...1_000_000)
            case "--idle": idleSeconds = try BenchCommand.number(option, rest.popFirst(), 0...3600)
            case "--at-once": loginsAtOnce = try BenchCommand.number(option, rest.popFirst(), 0...15_000)
            case "--no-product": measuresProduct = false
            case "--peers": peers = try BenchCommand.text(option, rest.popFirst())
            case "--only":
                only = try BenchCommand.text(option, rest.popFirst()).split(separator: ",").map { String($0) }
            case "--json": json = try BenchCommand.text(option, rest.popFirst())
            case "--service": service = try BenchCommand.text(option, rest.popFirst())
            case "--tools": tools = try BenchCommand.text(option, rest.popFirst())
            default:
                throw BenchError(
                    "connect has no option '\(option)'; 'doorward-bench connect --help' lists them", isUsage: true)
            }
        }
    }

    private static func numbers(_ option: String, _ text: String?) throws(BenchError) -> [Int] {
        let numbers = (text ?? "").split(separator: ",").map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy({ (1...15_000).contains($0) }) else {
            throw BenchError("\(option) needs numbers from 1 to 15000, with commas between them", isUsage: true)
        }
        return numbers
    }
}
