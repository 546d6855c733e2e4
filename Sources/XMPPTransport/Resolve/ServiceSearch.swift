/// What the SRV records of a domain's two services come to (RFC 6120 3.2.1, XEP-0368 section 5).
struct ServiceSearch {
    enum Outcome: Equatable {
        /// An answer is still out.
        case waiting
        /// By priority, the targets of each in the order of their weights.
        case targets([[ConnectStep.Target]])
        /// There are no records: the domain itself, port 5222 (RFC 6120 3.2.2).
        case fallback
        case failed(TransportError)
    }

    private let domain: String
    private var answers: [ServiceKind: Result<[ServiceRecord], TransportError>] = [:]
    private var missing: Set<ServiceKind>

    init(domain: String, kinds: [ServiceKind]) {
        self.domain = domain
        missing = Set(kinds)
    }

    /// Whether one service has targets while the other one's answer is out: then it is not waited for long.
    var hasTargetsToTry: Bool { !missing.isEmpty && !usable.isEmpty }

    mutating func answered(_ kind: ServiceKind, _ answer: Result<[ServiceRecord], TransportError>) {
        guard missing.remove(kind) != nil else { return }
        answers[kind] = answer
    }

    /// The answers that are out count as failed; their services.
    mutating func giveUpWaiting() -> [ServiceKind] {
        defer { missing = [] }
        return ServiceKind.allCases.filter(missing.contains)
    }

    private var usable: [(record: ServiceRecord, kind: ServiceKind)] {
        ServiceKind.allCases.flatMap { kind -> [(record: ServiceRecord, kind: ServiceKind)] in
            guard case .success(let records) = answers[kind] else { return [] }
            // The root says "not here", and is no host's name (B065).
            return records.filter { !$0.target.isEmpty }.map { ($0, kind) }
        }
    }

    /// Why an answer is missing.
    var failure: TransportError? {
        ServiceKind.allCases.lazy.compactMap { kind in
            if case .failure(let error) = answers[kind] { error } else { nil }
        }.first
    }

    func outcome(using generator: inout any RandomNumberGenerator) -> Outcome {
        guard missing.isEmpty else { return .waiting }
        let usable = usable
        if !usable.isEmpty { return .targets(ServiceOrder.groups(usable, using: &generator)) }
        let isRefused = answers.values.contains {
            if case .success(let records) = $0 { !records.isEmpty } else { false }
        }
        // One service is not offered, and the other's answer failed: it may well be there, at the next attempt.
        if isRefused, let failure { return .failed(failure) }
        if isRefused {
            return .failed(
                TransportError(.serviceNotOffered, "\(domain) says in DNS that it has no XMPP service for clients"))
        }
        return .fallback
    }
}
