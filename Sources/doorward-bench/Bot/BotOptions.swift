/// What a bot of the benchmark is told: the contract that every peer follows, `HOST PORT DOMAIN PREFIX FIRST N RAMP`.
struct BotOptions: Sendable {
    var host: String
    var port: UInt16
    var domain: String
    var prefix: String
    var first: Int
    var count: Int
    /// Logins at a time.
    var ramp: Int

    init(_ words: ArraySlice<String>) throws(BenchError) {
        let usage = BenchError("bot needs HOST PORT DOMAIN PREFIX FIRST N RAMP", isUsage: true)
        let words = Array(words)
        guard words.count == 7, let port = UInt16(words[1]), let first = Int(words[4]), let count = Int(words[5]),
            let ramp = Int(words[6]), first >= 0, count > 0, ramp > 0
        else { throw usage }
        (host, self.port, domain, prefix) = (words[0], port, words[2], words[3])
        (self.first, self.count, self.ramp) = (first, count, ramp)
    }
}
