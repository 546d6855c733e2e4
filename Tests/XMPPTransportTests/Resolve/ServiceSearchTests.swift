import Testing

@testable import XMPPTransport

/// What one service's look-up came to.
private enum Answer: Sendable, CaseIterable {
    case records, rootAmongRecords, root, none, failed

    func result(_ host: String) -> Result<[ServiceRecord], TransportError> {
        switch self {
        case .records: .success([record(1, 0, host)])
        case .rootAmongRecords: .success([record(0, 0, "", 0), record(1, 0, host)])
        case .root: .success([record(0, 0, "", 0)])
        case .none: .success([])
        case .failed: .failure(TransportError(.dnsFailed, "SERVFAIL"))
        }
    }

    var hasTarget: Bool { self == .records || self == .rootAmongRecords }
}

@Suite("The two services of a domain")
struct ServiceSearchTests {
    /// Every pair of answers, and what it must come to: B065 is all the rows with a root.
    private func expected(_ direct: Answer, _ start: Answer) -> String {
        let targets = (direct.hasTarget ? ["direct"] : []) + (start.hasTarget ? ["start"] : [])
        if !targets.isEmpty { return targets.joined(separator: " ") }
        switch (direct, start) {
        case (.root, .failed), (.failed, .root): return "name lookup failed"
        case (.root, _), (_, .root): return "service not offered"
        default: return "fallback"
        }
    }

    private func told(_ outcome: ServiceSearch.Outcome) -> String {
        switch outcome {
        case .waiting: "waiting"
        case .targets(let groups):
            groups.flatMap { $0 }.map { $0.isDirectTLS ? "direct" : "start" }.sorted().joined(separator: " ")
        case .fallback: "fallback"
        case .failed(let error): error.code.name
        }
    }

    @Test(
        "come to targets, to the fallback or to neither; the root is never a host (B065)", arguments: Answer.allCases)
    fileprivate func everyPair(_ direct: Answer) {
        var generator: any RandomNumberGenerator = Constant(value: 1)
        for start in Answer.allCases {
            for directFirst in [true, false] {
                var search = ServiceSearch(domain: "example.org", kinds: ServiceKind.allCases)
                let answers: [(ServiceKind, Answer)] = [(.directTLS, direct), (.startTLS, start)]
                for (kind, answer) in directFirst ? answers : answers.reversed() {
                    #expect(search.outcome(using: &generator) == .waiting)
                    search.answered(kind, answer.result("host"))
                }
                #expect(told(search.outcome(using: &generator)) == expected(direct, start), "\(direct), \(start)")
            }
        }
    }

    @Test("are not awaited once the other one's targets are known for long")
    func givingUp() {
        var generator: any RandomNumberGenerator = Constant(value: 1)
        var search = ServiceSearch(domain: "example.org", kinds: ServiceKind.allCases)
        #expect(!search.hasTargetsToTry)
        search.answered(.startTLS, .success([record(1, 0, "host")]))
        #expect(search.hasTargetsToTry)
        #expect(search.giveUpWaiting() == [.directTLS])
        #expect(told(search.outcome(using: &generator)) == "start")
        search.answered(.directTLS, .success([record(0, 0, "late")]))
        #expect(told(search.outcome(using: &generator)) == "start")
    }

    @Test("have the names of their RFC and XEP")
    func names() {
        #expect(ServiceKind.startTLS.name(of: "example.org") == "_xmpp-client._tcp.example.org")
        #expect(ServiceKind.directTLS.name(of: "example.org") == "_xmpps-client._tcp.example.org")
    }
}
