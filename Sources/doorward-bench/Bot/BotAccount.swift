import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPModules
import XMPPTransport

/// One account of the bot: on our library as an author would use it, without a store.
///
/// It answers `subscribe` from its own domain by `subscribed` and `subscribe`, from any other by `unsubscribed`.
actor BotAccount {
    enum News: Sendable {
        /// The roster has arrived.
        case up
        case down(String)
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var settings: ClientSettings
    private let connector: any Connector
    private let report: @Sendable (News) -> Void
    private var connection: ClientConnection?
    private var router = StanzaRouter(modules: [])
    private var roster: RosterModule?

    init(
        settings: ClientSettings, connector: any Connector, loop: EventLoop, report: @escaping @Sendable (News) -> Void
    ) {
        self.settings = settings
        self.connector = connector
        self.loop = loop
        self.report = report
    }

    func logIn() {
        let roster = RosterModule(account: settings.account) { _ in }
        self.roster = roster
        let subscriptions = SubscriptionModule { event in self.hand(event) { $0.happened($1) } }
        router = StanzaRouter(modules: [roster, subscriptions, PingModule { _ in true }])
        let connection = ClientConnection(settings: settings, connector: connector, loop: loop) { event in
            self.hand(event) { $0.handle($1) }
        }
        self.connection = connection
        // Unstructured: the connection's life, which `logOut` ends.
        Task(executorPreference: loop) {
            let end = await connection.run()
            self.report(.down(end.description))
        }
    }

    /// - Parameter forgets: Whether the next login resumes no TLS session and derives its keys anew.
    func logOut(forgetting forgets: Bool) {
        if forgets { (settings.sessions, settings.keys) = (nil, SCRAMKeyCache()) }
        connection?.stop()
    }

    private func handle(_ event: ClientEvent) {
        switch event {
        case .established:
            let request = connection?.request(.get, RosterPayload.get()) { reply in
                self.assumeIsolated { $0.rosterArrived(reply) }
            }
            let presence = Presence(.available).element
            connection?.send(request.map { [$0, presence] } ?? [presence])
        case .received(let stanza):
            if let answer = router.route(stanza) { connection?.send([answer]) }
        case .overLimits(let request):
            if let answer = router.refuse(request) { connection?.send([answer]) }
        case .progressed, .nameless, .resumed, .readEnded, .acknowledged, .tokenExpired:
            break
        }
    }

    private func rosterArrived(_ reply: IQReply) {
        switch reply {
        case .result(let query):
            roster?.loaded(query)
            report(.up)
        case .error, .noReply:
            connection?.abandon("no roster")
        }
    }

    private func happened(_ event: SubscriptionModule.Event) {
        switch event {
        case .requested(let request):
            let contact = request.contact
            if sameBytes(contact.domain, settings.account.domain) {
                connection?.send([
                    SubscriptionPayload.presence(.subscribed, to: contact),
                    SubscriptionPayload.presence(.subscribe, to: contact),
                ])
            } else {
                connection?.send([SubscriptionPayload.presence(.unsubscribed, to: contact)])
            }
        case .unsubscribed, .approved, .denied, .cancelled, .repeated, .failed:
            break
        }
    }
}
