package import XMPPClient
package import XMPPCore
import XMPPCrypto
package import XMPPModules
package import XMPPTransport

/// Someone on the private server: asks accounts to be added, and remembers what came of it.
///
/// It can be any account, so also a second client of one that the service runs.
package actor Guest {
    /// How many events are kept; the guests of a demo or a test have a few.
    private static let limit = 10_000

    package nonisolated let jid: BareJID
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let password: Secret
    private let server: (port: UInt16, caFile: String)
    private let acceptsAskingBack: Bool
    private let sink: @Sendable (GuestEvent) -> Void

    private var connection: ClientConnection?
    private var life: Task<Void, Never>?
    private var router = StanzaRouter(modules: [])
    private var roster: RosterModule?
    private var waiters: [Int: (matches: @Sendable (GuestEvent) -> Bool, resume: CheckedContinuation<Bool, Never>)] =
        [:]
    private var nextWaiter = 0
    /// All that happened so far.
    package private(set) var events: [GuestEvent] = []

    /// A guest who is not logged in.
    ///
    /// - Parameters:
    ///   - jid: Its address; the server has the account.
    ///   - password: Its password.
    ///   - port: Where the server listens on 127.0.0.1.
    ///   - caFile: The server's authority.
    ///   - loop: Where it lives.
    ///   - acceptsAskingBack: Whether it says yes to everyone who asks to see its presence.
    ///   - events: Told each event, on the loop.
    package init(
        _ jid: BareJID, password: String, port: UInt16, caFile: String, loop: EventLoop,
        acceptsAskingBack: Bool = false, events: @escaping @Sendable (GuestEvent) -> Void = { _ in }
    ) {
        self.jid = jid
        self.password = Secret(Array(password.utf8))
        server = (port, caFile)
        self.loop = loop
        self.acceptsAskingBack = acceptsAskingBack
        sink = events
    }

    // MARK: Life

    /// Logs in, fetches the roster and sends the initial presence.
    ///
    /// - Parameter resource: Nil lets the server choose, so that several may be online at once.
    /// - Throws: Where the connection ended before all of that was done.
    package func logIn(resource: String? = nil) async throws(DemoError) {
        guard life == nil else { return }
        let caFile = server.caFile
        let trust: TLSContext
        do {
            trust = try await BlockingPool.run { try TLSContext.client(caFile: caFile) }
        } catch {
            throw DemoError(.guestFailed, "\(jid) cannot log in: \(error)")
        }
        let settings = ClientSettings(
            account: jid, password: password, resource: resource, address: .host("127.0.0.1", port: server.port),
            trust: trust)
        let connection = ClientConnection(settings: settings, connector: SocketConnector(), loop: loop) { event in
            self.assumeIsolated { $0.handle(event) }
        }
        self.connection = connection
        let first = events.count
        // Unstructured, since logging in and logging out are two calls: the task is the connection's life between them,
        // and `logOut` waits for its end. It prefers the loop, since the connection's own closures are of no actor.
        life = Task(executorPreference: loop) {
            let end = await connection.run()
            await self.ended(end.description)
        }
        _ = await happens(after: first, within: .seconds(60)) { event in
            switch event {
            case .online, .ended: true
            case .received, .sent, .rosterChanged: false
            }
        }
        guard events.dropFirst(first).contains(.online) else {
            let reason = events.dropFirst(first).compactMap { event -> String? in
                if case .ended(let reason) = event { reason } else { nil }
            }
            throw DemoError(.guestFailed, "\(jid) cannot log in: \(reason.first ?? "the server does not answer")")
        }
    }

    /// Closes the stream in order and waits for its end.
    package func logOut() async {
        connection?.stop()
        await life?.value
        life = nil
    }

    private func ended(_ reason: String) {
        connection = nil
        roster = nil
        happened(.ended(reason))
    }

    // MARK: Doing

    /// Asks to see an account's presence.
    package func ask(_ account: BareJID, message: String? = nil, nickname: String? = nil) {
        var children: [Element] = []
        if let message { children.append(Element("status", namespace: Namespace.client, children: [.text(message)])) }
        if let nickname { children.append(Element("nick", namespace: Namespace.nick, children: [.text(nickname)])) }
        happened(.sent(.subscribe, to: account))
        send([Presence(.subscribe, to: JID(account), children: children).element])
    }

    /// Sends `subscribed`, `unsubscribed`, `unsubscribe`, or a bare `subscribe`.
    package func say(_ word: GuestEvent.Word, to contact: BareJID) {
        happened(.sent(word, to: contact))
        send([Presence(word.type, to: JID(contact)).element])
    }

    /// Sends stanzas as they are.
    package func send(_ stanzas: [Element]) {
        connection?.send(stanzas)
    }

    /// Sends a request and waits for its reply.
    package func request(_ type: IQType, to recipient: JID? = nil, _ payload: Element) async -> IQReply {
        await withCheckedContinuation { continuation in
            guard let connection else { return continuation.resume(returning: .noReply) }
            let stanza = connection.request(type, to: recipient, payload) { continuation.resume(returning: $0) }
            connection.send([stanza].compactMap { $0 })
        }
    }

    // MARK: Looking

    /// The roster as the server's pushes have kept it.
    package var contacts: Roster { roster?.items ?? Roster() }

    /// Waits until something has happened.
    ///
    /// - Parameters:
    ///   - start: How many events to pass over, for what must happen anew.
    ///   - limit: How long to wait.
    ///   - matches: What is waited for.
    /// - Returns: Whether it has happened.
    package func happens(
        after start: Int = 0, within limit: Duration, _ matches: @escaping @Sendable (GuestEvent) -> Bool
    ) async -> Bool {
        let number = nextWaiter
        nextWaiter += 1
        let timer = loop.schedule(after: limit) { self.assumeIsolated { $0.giveUp(number) } }
        let happened = await withCheckedContinuation { continuation in
            // In here: it may happen between a look before and the wait.
            guard !events.dropFirst(start).contains(where: matches) else { return continuation.resume(returning: true) }
            waiters[number] = (matches, continuation)
        }
        loop.cancel(timer)
        return happened
    }

    private func giveUp(_ number: Int) {
        waiters.removeValue(forKey: number)?.resume.resume(returning: false)
    }

    private func happened(_ event: GuestEvent) {
        if events.count < Self.limit { events.append(event) }
        sink(event)
        for (number, waiter) in waiters where waiter.matches(event) {
            waiters[number] = nil
            waiter.resume.resume(returning: true)
        }
    }

    // MARK: The stream

    private func handle(_ event: ClientEvent) {
        switch event {
        case .progressed, .nameless, .resumed, .acknowledged, .tokenExpired, .readEnded:
            break
        case .established:
            begin()
        case .received(let stanza):
            if let answer = router.route(stanza) { send([answer]) }
            if case .presence(let presence) = stanza { received(presence) }
        case .overLimits(let request):
            if let answer = router.refuse(request) { send([answer]) }
        }
    }

    private func begin() {
        let roster = RosterModule(account: jid) { [unowned self] in happened(.rosterChanged($0)) }
        self.roster = roster
        router = StanzaRouter(modules: [roster])
        let request = connection?.request(.get, RosterPayload.get()) { reply in
            self.assumeIsolated { $0.rosterArrived(reply) }
        }
        send([request].compactMap { $0 })
    }

    private func rosterArrived(_ reply: IQReply) {
        guard case .result(let query) = reply else {
            connection?.abandon("the server gave no roster")
            return
        }
        roster?.loaded(query)
        send([Presence(.available).element])
        happened(.online)
    }

    private func received(_ presence: Presence) {
        guard let from = presence.from, let word = GuestEvent.Word(presence.type) else { return }
        happened(.received(word, from: from.bare))
        if word == .subscribe, acceptsAskingBack { say(.subscribed, to: from.bare) }
    }
}
