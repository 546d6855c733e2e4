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

    static let helpText = """
        doorward-bench bot HOST PORT DOMAIN PREFIX FIRST N RAMP

        The bot that 'connect' measures, on our library and without a store. It follows the contract of every peer: prints
        READY, waits for a line, logs in PREFIX{FIRST…FIRST+N-1}@DOMAIN (password pw, RAMP at a time), fetches the roster,
        sends presence, prints ALLUP; answers 'subscribe' from its own domain by 'subscribed' and 'subscribe', from others
        by 'unsubscribed'. It trusts the authorities of SSL_CERT_FILE.

        Three more words on standard input, a line each: 'again' logs all out and in again, 'afresh' the same with nothing
        kept of TLS sessions and SCRAM keys, 'turn' prints the longest turn of the loop in microseconds, by the clock and of
        processor time.

        """

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
