import Glibc
import XMPPTransport

/// The load server of one run.
struct LoadServer: Sendable {
    /// What became of a series of requests.
    struct Load: Sendable {
        var answered: Int
        var wrong: Int
        var seconds: Double
        /// Microseconds from the request to its answer.
        var median: Double
        /// The same, which one in a hundred is above.
        var p99: Double
    }

    static let domain = "a.test"
    static let prefix = "bot"

    let authority: String
    let port: UInt16
    private let helper: Helper

    /// - Parameters:
    ///   - tools: Where bench-server is.
    ///   - folder: Gets its authority.
    ///   - settings: As bench-server takes them, such as `roster=100`.
    ///   - cleanup: Ends it.
    /// - Throws: Where it does not start.
    init(tools: String, folder: String, settings: [String] = [], cleanup: Cleanup) throws(BenchError) {
        authority = "\(folder)/authority\(settings.joined(separator: "-")).pem"
        helper = try Helper("bench-server", ["\(tools)/bench-server", "0", authority] + settings)
        let helper = helper
        cleanup.add { helper.end() }
        guard let port = try helper.wait(for: "LISTENING", seconds: 10).first.flatMap({ UInt16($0) }) else {
            throw BenchError("bench-server listens nowhere")
        }
        self.port = port
    }

    /// Derives keys ahead, so that a login waits for the client only.
    func prepare(_ accounts: Int) throws(BenchError) {
        helper.say("prepare \(Self.prefix) 0 \(accounts)")
        _ = try helper.wait(for: "PREPARED", seconds: 600)
    }

    func expect(_ accounts: Int) { helper.say("expect \(accounts)") }

    /// - Throws: Where they are not within the time, or the client has ended.
    func waitUntilAllAreOnline(seconds: Int, while isAlive: () -> Bool = { true }) throws(BenchError) {
        _ = try helper.wait(for: "ALLONLINE", seconds: seconds, while: isAlive)
    }

    func waitUntilAllAreOffline(seconds: Int) throws(BenchError) {
        _ = try helper.wait(for: "ALLOFFLINE", seconds: seconds)
    }

    /// Handshakes of before that were resumed, and all others.
    func handshakes() throws(BenchError) -> (full: Int, resumed: Int) {
        helper.say("count")
        let words = try Self.fields(helper.wait(for: "COUNT", seconds: 10))
        return (Int(words["full"] ?? 0), Int(words["resumed"] ?? 0))
    }

    /// Sends requests, a fifth of them from the foreign domain: at a rate, or with 64 unanswered at any time.
    func load(_ requests: Int, rate: Int?) throws(BenchError) -> Load {
        helper.say("load \(requests) \(rate ?? 0) 64 20")
        let words = try Self.fields(helper.wait(for: "LOAD", seconds: 60 + requests / max(1, rate ?? 50)))
        return Load(
            answered: Int(words["answered"] ?? 0), wrong: Int(words["wrong"] ?? 0), seconds: words["seconds"] ?? 0,
            median: words["p50_us"] ?? 0, p99: words["p99_us"] ?? 0)
    }

    private static func fields(_ words: [String]) -> [String: Double] {
        var fields: [String: Double] = [:]
        for word in words {
            let parts = word.split(separator: "=")
            if parts.count == 2 { fields[String(parts[0])] = Double(String(parts[1])) }
        }
        return fields
    }
}
