/// Which address of which target is tried when (RFC 8305, XEP-0495).
///
/// Priorities come one after the other. Within one, families and targets take turns, each attempt a quarter of a second
/// behind the one before, or at once where that failed. The first whose TCP is up wins; where its TLS must be up too
/// and fails, the race goes on without that target; so it does where the winner turns out later not to be the server.
struct ConnectRace {
    struct AttemptID: Hashable {
        let number: Int
    }

    enum Timer: Hashable {
        /// Others' addresses are awaited no longer.
        case resolution
        /// The next attempt may begin.
        case attempt
    }

    enum Event {
        case started
        /// A target of the present priority, by its place there.
        case answered(target: Int, IPFamily, Result<[IPAddress], TransportError>)
        case timerFired(Timer)
        case connected(AttemptID)
        case failed(AttemptID, TransportError)
        /// The winner's TLS failed.
        case handshakeFailed(TransportError)
        /// What `withoutWinner()` left goes on; no look-up is out.
        case wentOn
    }

    enum Action: Equatable {
        /// Both families; answers of a priority that is over are not to be handed in.
        case lookUp(target: Int, host: String)
        case endLookUps
        case startTimer(Timer)
        case stopTimer(Timer)
        case connect(AttemptID, SocketAddress)
        case drop(AttemptID)
        case report(ConnectStep)
        /// The attempt has won.
        case use(AttemptID, ConnectStep.Target)
        case fail(TransportError)
    }

    /// Attempts for one host.
    static let attemptsPerTarget = 8
    /// Attempts under way at the same time.
    static let attemptsAtOnce = 8

    private enum Phase {
        /// The first addresses are awaited.
        case gathering
        case racing
        case won(Attempt)
        case over
    }

    private struct Attempt {
        let id: AttemptID
        let target: Int
        let address: IPAddress
        let socketAddress: SocketAddress
    }

    private struct Contender {
        let target: ConnectStep.Target
        var awaited: Set<IPFamily> = []
        var addresses: [IPFamily: [IPAddress]] = [:]
        var hasAddresses = false
        var attempts = 0
        var lastFamily: IPFamily?
        var isOut = false
        var lookUpError: TransportError?

        var hasUntried: Bool {
            !isOut && attempts < ConnectRace.attemptsPerTarget && addresses.values.contains { !$0.isEmpty }
        }
    }

    private var groups: ArraySlice<[ConnectStep.Target]>
    private let hasSeveralTargets: Bool
    private var contenders: [Contender] = []
    private var phase = Phase.gathering
    private var isResolutionDelayRunning = false
    private var isAttemptDelayRunning = false
    private var underWay: [Attempt] = []
    private var lastNumber = 0
    private var lastFamily = IPFamily.v4
    private var lastError: TransportError?
    /// Says more than any failed connect, above all where a certificate was refused.
    private var handshakeError: TransportError?

    /// - Parameter groups: the targets by priority.
    init(_ groups: [[ConnectStep.Target]]) {
        self.groups = groups[...]
        hasSeveralTargets = groups.joined().count > 1
    }

    /// Why there is no connection as yet.
    var error: TransportError? { handshakeError ?? lastError }

    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .started:
            beginGroup(&actions)
        case .answered(let target, let family, let answer):
            note(answer, family, of: target, &actions)
        case .timerFired(.resolution):
            isResolutionDelayRunning = false
            if case .gathering = phase { phase = .racing }
        case .timerFired(.attempt):
            isAttemptDelayRunning = false
        case .connected(let id):
            win(id, &actions)
        case .failed(let id, let error):
            guard let index = underWay.firstIndex(where: { $0.id == id }) else { break }
            let attempt = underWay.remove(at: index)
            lastError = error
            actions.append(.report(.failed(attempt.socketAddress.description, error)))
            stopAttemptDelay(&actions)
        case .handshakeFailed(let error):
            guard case .won(let attempt) = phase else { break }
            // What refused a certificate says most, and else what came first.
            if handshakeError?.isOfCertificate != true, error.isOfCertificate || handshakeError == nil {
                handshakeError = error
            }
            giveUp(attempt)
            actions.append(.report(.failed(attempt.socketAddress.description, error)))
        case .wentOn:
            for index in contenders.indices where !contenders[index].awaited.isEmpty {
                actions.append(.lookUp(target: index, host: contenders[index].target.host))
            }
        }
        proceed(&actions)
        return actions
    }

    // MARK: - Names

    private mutating func beginGroup(_ actions: inout [Action]) {
        contenders = groups.popFirst().map { $0.map { Contender(target: $0) } } ?? []
        phase = .gathering
        for index in contenders.indices {
            let host = contenders[index].target.host
            if let address = IPAddress(host) {
                contenders[index].addresses[address.family] = [address]
                contenders[index].hasAddresses = true
            } else {
                contenders[index].awaited = Set(IPFamily.allCases)
                actions.append(.lookUp(target: index, host: host))
            }
        }
    }

    private mutating func note(
        _ answer: Result<[IPAddress], TransportError>, _ family: IPFamily, of index: Int, _ actions: inout [Action]
    ) {
        guard contenders.indices.contains(index), contenders[index].awaited.remove(family) != nil else { return }
        let host = contenders[index].target.host
        switch answer {
        case .success(let found):
            let usable = Array(found.prefix(Self.attemptsPerTarget))
            guard !usable.isEmpty else { break }
            contenders[index].addresses[family] = usable
            contenders[index].hasAddresses = true
            actions.append(.report(.resolved(host: host, addresses: usable.map(\.description))))
        case .failure(let error):
            contenders[index].lookUpError = error
        }
        if contenders[index].awaited.isEmpty && !contenders[index].hasAddresses {
            let error = contenders[index].lookUpError ?? TransportError(.dnsFailed, "\(host) has no address")
            lastError = error
            actions.append(.report(.unresolved(name: host, error)))
        }
    }

    private var isAwaitingAddresses: Bool { contenders.contains { !$0.awaited.isEmpty } }

    /// Whether to wait no longer: all is known, or the first target's addresses of the family that goes first.
    private var isReady: Bool {
        !isAwaitingAddresses || contenders.first?.addresses[lastFamily.other]?.isEmpty == false
    }

    // MARK: - Attempts

    private mutating func proceed(_ actions: inout [Action]) {
        if case .gathering = phase {
            if isReady {
                phase = .racing
            } else if !isResolutionDelayRunning && contenders.contains(where: \.hasAddresses) {
                isResolutionDelayRunning = true
                actions.append(.startTimer(.resolution))
            }
        }
        guard case .racing = phase else { return }
        if isResolutionDelayRunning {
            isResolutionDelayRunning = false
            actions.append(.stopTimer(.resolution))
        }
        if !isAttemptDelayRunning && underWay.count < Self.attemptsAtOnce, let attempt = takeAttempt() {
            underWay.append(attempt)
            isAttemptDelayRunning = true
            actions += [
                .report(.trying(attempt.socketAddress.description)), .connect(attempt.id, attempt.socketAddress),
                .startTimer(.attempt),
            ]
        }
        guard underWay.isEmpty, !isAwaitingAddresses, !contenders.contains(where: \.hasUntried) else { return }
        stopAttemptDelay(&actions)
        guard groups.isEmpty else {
            beginGroup(&actions)
            proceed(&actions)
            return
        }
        phase = .over
        actions.append(.fail(error ?? TransportError(.connectFailed, "no address")))
    }

    /// The next address: of the target that had the fewest attempts, and of the other family than before.
    private mutating func takeAttempt() -> Attempt? {
        let waiting = contenders.indices.filter { contenders[$0].hasUntried }
        // The first of those with the fewest.
        guard let index = waiting.min(by: { contenders[$0].attempts < contenders[$1].attempts }) else { return nil }
        let wanted = (contenders[index].lastFamily ?? lastFamily).other
        let family = contenders[index].addresses[wanted, default: []].isEmpty ? wanted.other : wanted
        guard let address = contenders[index].addresses[family]?.first else { return nil }
        contenders[index].addresses[family]?.removeFirst()
        contenders[index].attempts += 1
        contenders[index].lastFamily = family
        lastFamily = family
        lastNumber += 1
        return Attempt(
            id: AttemptID(number: lastNumber), target: index, address: address,
            socketAddress: SocketAddress(address, port: contenders[index].target.port))
    }

    private mutating func win(_ id: AttemptID, _ actions: inout [Action]) {
        guard let winner = underWay.first(where: { $0.id == id }) else { return }
        // Those behind it did not fail: they come again should the winner's TLS fail.
        for loser in underWay.reversed() where loser.id != id {
            actions.append(.drop(loser.id))
            contenders[loser.target].addresses[loser.address.family, default: []].insert(loser.address, at: 0)
            contenders[loser.target].attempts -= 1
        }
        underWay = []
        phase = .won(winner)
        stopAttemptDelay(&actions)
        let target = contenders[winner.target].target
        if !target.isDirectTLS { actions.append(.endLookUps) }
        actions += [
            .report(.reached(winner.socketAddress.description, isDirectTLS: target.isDirectTLS)), .use(id, target),
        ]
    }

    /// Each target has one chance, so that a bad one with many addresses does not keep the next one waiting.
    ///
    /// Where there is no other, its other addresses are tried.
    private mutating func giveUp(_ winner: Attempt) {
        contenders[winner.target].isOut = hasSeveralTargets
        if hasSeveralTargets { contenders[winner.target].awaited = [] }
        phase = .racing
    }

    /// What is left once the winner turned out not to be the server; nil where that is nothing.
    func withoutWinner() -> ConnectRace? {
        guard case .won(let winner) = phase else { return nil }
        var rest = self
        rest.giveUp(winner)
        let isLeft = !groups.isEmpty || rest.contenders.contains { $0.hasUntried || !$0.awaited.isEmpty }
        return isLeft ? rest : nil
    }

    private mutating func stopAttemptDelay(_ actions: inout [Action]) {
        guard isAttemptDelayRunning else { return }
        isAttemptDelayRunning = false
        actions.append(.stopTimer(.attempt))
    }
}
