public import XMPPCore
package import XMPPTransport

/// An XMPP server for tests: it lets accounts log in, keeps their rosters and requests as RFC 6121 says, and does
/// otherwise whatever a test tells it.
///
/// In memory there are no sockets and no time: everything happens in the order of the stream. By `listen(with:)` the
/// same server is reached over TCP and TLS. Wait for `received` and `events` instead of sleeping.
///
/// ```swift
/// let server = try ScriptedServer()
/// let account = try BareJID("bot@example.org")
/// await server.add(account, password: "secret")
/// var options = Client.Options()
/// options.transport = server.transport()
/// let bot = try Client(account: account, password: "secret", options: options)
/// // …run the bot, and then:
/// await server.ask(account, from: try JID("ann@example.net"), "hello")
/// _ = try await server.received.next { $0.isPresence("subscribed", to: "ann@example.net") }
/// ```
public actor ScriptedServer {
    /// Everything that clients sent, behind the stream headers.
    public nonisolated let received = EventRecorder<ReceivedElement>()
    /// What happened to connections.
    public nonisolated let events = EventRecorder<ServerEvent>()
    package nonisolated let loop: EventLoop
    /// Runs on its event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How it behaves from now on.
    public var behaviour = ServerBehaviour()
    var accounts: [BareJID: ServerAccount] = [:]
    var connections: [Int: ServerConnection] = [:]
    var reaction: (@Sendable (ReceivedElement) -> Reaction)?
    /// What TLS is in memory, as the server sees it; the client sees the same, unless `clientTLS` says otherwise.
    package var tls = TLSSummary.inMemory
    /// What the client sees of TLS in memory where somebody stands between the two.
    package var clientTLS: TLSSummary?
    private var interceptor: Interceptor?
    private var recorder: ConversationRecorder?
    /// Sessions with stream management by their ids, and how much was handled of those that are lost.
    var sessions: [String: ServerSession] = [:]
    var lostSessions: [String: UInt32] = [:]
    var lastSession = 0
    var lastToken = 0
    /// The TLS of each connection that came over a socket.
    var listening: [Int: TLSSettings] = [:]
    var listeners: [Listener] = []
    private var lastConnection = 0
    /// Roster items to push behind the answer at hand.
    var pushes: [Element] = []
    var lastPush = 0
    var lastSaid = 0
    var rooms: [BareJID: ServerRoom] = [:]
    private var lastID = 0

    /// What it does with a stanza.
    public enum Reaction: Sendable {
        /// What a server does.
        case usual
        /// Nothing.
        case nothing
        /// Sends this XML instead.
        case send(String)
    }

    /// A server on a loop of its own.
    ///
    /// - Throws: Where the process has no descriptors left.
    public init() throws {
        loop = try EventLoop(name: "scripted-server")
        loop.start()
    }

    /// A server on the loop of those who connect to it, so that one order holds for both.
    package init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Connects to this server, whatever the address says.
    package nonisolated var connector: any Connector {
        MemoryConnector(serverLoop: loop) { [weak self] channel, _ in
            self?.assumeIsolated { server in
                channel.agree(on: server.tls, peerSees: server.clientTLS ?? server.tls)
                return server.accept(channel)
            }
        }
    }

    /// Ends a server that has a loop of its own, and gives its thread back; it can not be used again.
    public nonisolated func stop() { loop.stop() }

    // MARK: What a test sets

    /// Adds an account, or changes its password.
    public func add(_ jid: BareJID, password: String, roster: [ServerRosterItem] = []) {
        var account = accounts[jid] ?? ServerAccount(jid: jid, password: password)
        account.password = password
        account.roster += roster
        accounts[jid] = account
    }

    /// Changes how it behaves.
    public func behave(_ change: @Sendable (inout ServerBehaviour) -> Void) { change(&behaviour) }

    /// Refuses the logins of an account with that SASL condition; nil lets it in again.
    public func refuseLogins(of jid: BareJID, with condition: String?) { accounts[jid]?.refusal = condition }

    /// Puts somebody between the server and those who connect from now on; nil takes them away.
    public func intercept(_ interceptor: Interceptor?) { self.interceptor = interceptor }

    /// Writes down what is said on the connections that are made from now on.
    public func record(with recorder: ConversationRecorder?) { self.recorder = recorder }

    /// What TLS is in memory: as the server sees it, and as the client does where somebody stands between the two.
    package func agree(on tls: TLSSummary, clientSees clientTLS: TLSSummary? = nil) {
        self.tls = tls
        self.clientTLS = clientTLS
    }

    /// Looks at every element of a bound session first, and may react to it otherwise than a server does.
    public func react(_ reaction: (@Sendable (ReceivedElement) -> Reaction)?) { self.reaction = reaction }

    /// Changes a roster as another client of the account would.
    public func push(_ contact: BareJID, to jid: BareJID, _ change: @Sendable (inout ServerRosterItem) -> Void) {
        guard var account = accounts[jid] else { return }
        let item = account.change(contact, change)
        accounts[jid] = account
        push(item, to: jid)
    }

    /// The roster of an account.
    public func roster(of jid: BareJID) -> [ServerRosterItem] { accounts[jid]?.roster ?? [] }

    /// Who waits for an answer of that account.
    public func requests(of jid: BareJID) -> [BareJID] { accounts[jid]?.requests.map(\.contact) ?? [] }

    // MARK: What a test makes happen

    /// Somebody takes a request back.
    ///
    /// Where `isTold`, the account is sent the `unsubscribe`, as Prosody does.
    public func withdraw(_ jid: BareJID, from contact: BareJID, isTold: Bool = true) {
        accounts[jid]?.requests.removeAll { $0.contact == contact }
        guard isTold else { return }
        var stanza = Presence(.unsubscribe, to: JID(jid)).element
        stanza[attribute: "from"] = contact.description
        deliver(stanza, to: jid)
    }

    /// Sends text, one write, on the stream of an account's session; whole stanzas count for stream management.
    public func send(_ xml: String, to jid: BareJID) {
        guard let connection = connection(of: jid) else { return }
        if let id = connection.session { sessions[id]?.unacknowledged += Self.stanzas(in: xml) }
        connection.send(xml)
    }

    private static func stanzas(in xml: String) -> [[UInt8]] {
        // Also what is over a client's limits counts.
        let parser = XMLStreamParser(limits: XMLLimits(depth: 100_000, stanzaBytes: 16_777_216, attributes: 10_000))
        let header = "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>"
        return parser.feed(Array((header + xml).utf8)).compactMap { event in
            guard case .element(let element) = event, Stanza(element) != nil else { return nil }
            return element.serialized(inside: Namespace.client)
        }
    }

    /// Asks a client for something it must answer, as its server; returns when it has, so that all that was sent before
    /// has been read.
    public func barrier(_ jid: BareJID) async throws {
        lastID += 1
        let id = "barrier-\(lastID)"
        guard connection(of: jid) != nil else { return }
        send("<iq type='get' id='\(id)' from='\(jid.domain)'><ping xmlns='urn:xmpp:ping'/></iq>", to: jid)
        _ = try await received.next { $0.isReply(to: id) }
    }

    /// Breaks the link, as a pulled cable does; over a socket it is a reset.
    public func dropLink(of jid: BareJID) {
        guard let channel = connection(of: jid)?.channel else { return }
        if let memory = channel as? MemoryChannel { memory.breakLink() } else { channel.abort() }
    }

    /// Ends TCP without a closing tag.
    public func endConnection(of jid: BareJID) { connection(of: jid)?.channel.close() }

    /// Closes the stream in order.
    public func closeStream(of jid: BareJID) {
        connection(of: jid)?.send("</stream:stream>")
    }

    /// Ends the stream with an error.
    public func sendStreamError(_ condition: String, to jid: BareJID) {
        guard let connection = connection(of: jid) else { return }
        end(connection.number, with: condition)
    }

    // MARK: Connections

    func connection(of jid: BareJID) -> ServerConnection? {
        accounts[jid]?.connection.flatMap { connections[$0] }
    }

    /// Takes a connection.
    ///
    /// - Parameters:
    ///   - channel: Its server's end.
    ///   - settings: The TLS of a socket; nil in memory.
    ///   - isDirectTLS: Whether TLS begins with the connection (XEP-0368).
    /// - Returns: Who handles its events; nil refuses it.
    func accept(
        _ channel: any Channel, settings: TLSSettings? = nil, isDirectTLS: Bool = false
    ) -> (@Sendable (ChannelEvent) -> Void)? {
        lastConnection += 1
        let number = lastConnection
        events.record(.connected(number))
        guard behaviour.isReachable else { return nil }
        connections[number] = ServerConnection(
            number: number, channel: channel, interceptor: interceptor, recorder: recorder)
        listening[number] = settings
        return { [weak self] event in self?.assumeIsolated { $0.handle(event, number, isDirectTLS: isDirectTLS) } }
    }

    private func handle(_ event: ChannelEvent, _ number: Int, isDirectTLS: Bool) {
        switch event {
        case .attempted, .writable: break
        case .connected:
            if isDirectTLS, let settings = listening[number] { connections[number]?.channel.startTLS(settings) }
            connections[number]?.send(behaviour.saidAtOnce)
        case .secured(let summary):
            secured(summary, number)
        case .received(let bytes):
            guard let connection = connections[number] else { return }
            connection.recorder?.record(.client, bytes, connection: number)
            let heard = connection.interceptor.map { Array($0.toServer(String(decoding: bytes, as: UTF8.self)).utf8) }
            for event in connection.parser.feed(heard ?? bytes) { handle(event, number) }
            sendAnswers(number)
        case .closed:
            listening[number] = nil
            guard let connection = connections.removeValue(forKey: number) else { return }
            let isKept = detach(connection)
            if let jid = connection.account, accounts[jid]?.connection == number {
                accounts[jid]?.connection = nil
                if !isKept { accounts[jid]?.isAvailable = false }
            }
            events.record(.disconnected(number))
        }
    }

    private func handle(_ event: XMLStreamEvent, _ number: Int) {
        guard let connection = connections[number] else { return }
        switch event {
        case .opened(let header):
            opened(header, number)
        case .element(let element):
            let received = ReceivedElement(
                account: connection.account,
                connection: number,
                isSecured: connection.isSecured,
                element: element
            )
            // Who waits for the element finds the answer on its way, and who has the answer finds the element.
            self.received.record(received) {
                if case .bound(let jid) = connection.stage {
                    handle(received, jid, number)
                } else {
                    negotiate(element, number)
                }
            }
        case .discarded: break
        case .closed:
            events.record(.streamClosed(number))
            forgetSession(of: connection)
            guard behaviour.answersClosing else { return }
            connection.send("</stream:stream>")
            connection.channel.close()
        case .failed:
            end(number, with: "not-well-formed")
        }
    }

    static func streamError(_ condition: String, _ more: String = "") -> String {
        "<stream:error><\(condition) xmlns='\(Namespace.streamErrors)'/>\(more)</stream:error></stream:stream>"
    }
}
