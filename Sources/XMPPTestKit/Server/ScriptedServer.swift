public import XMPPCore
package import XMPPTransport

/// An XMPP server in memory, for tests: it lets accounts log in, keeps their rosters and requests as RFC 6121 says, and
/// does otherwise whatever a test tells it.
///
/// No sockets and no time: everything happens in the order of the stream. Wait for `received` and `events` instead of
/// sleeping.
///
/// ```swift
/// let server = try ScriptedServer()
/// await server.add("bot@example.org", password: "secret")
/// await server.ask("bot@example.org", from: "ann@example.net", "hello")
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
    private var lastConnection = 0
    /// Roster items to push behind the answer at hand.
    var pushes: [Element] = []
    var lastPush = 0
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
            self?.assumeIsolated { $0.accept(channel) }
        }
    }

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

    /// Looks at every stanza first, and may react to it otherwise than a server does.
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

    /// Whom that account has blocked.
    public func blocked(by jid: BareJID) -> [BareJID] { accounts[jid]?.blocked ?? [] }

    // MARK: What a test makes happen

    /// Somebody asks to be added: the request is kept, and delivered now if the account is available.
    ///
    /// The contact may have a resource; the text is the request's `<status/>`.
    public func ask(_ jid: BareJID, from contact: JID, _ message: String? = nil) {
        let status = message.map {
            [Element("status", namespace: Namespace.client, children: [.text($0)])]
        }
        var stanza = Presence(.subscribe, to: JID(jid), children: status ?? []).element
        stanza[attribute: "from"] = contact.description
        accounts[jid]?.requests.removeAll { $0.contact == contact.bare }
        accounts[jid]?.requests.append((contact.bare, stanza))
        guard accounts[jid]?.isAvailable == true else { return }
        connection(of: jid)?.send(stanza)
    }

    /// Somebody takes a request back.
    ///
    /// Where `isTold`, the account is sent the `unsubscribe`, as Prosody does.
    public func withdraw(_ jid: BareJID, from contact: BareJID, isTold: Bool = true) {
        accounts[jid]?.requests.removeAll { $0.contact == contact }
        guard isTold, let connection = connection(of: jid) else { return }
        var stanza = Presence(.unsubscribe, to: JID(jid)).element
        stanza[attribute: "from"] = contact.description
        connection.send(stanza)
    }

    /// Sends text, one write, on the stream of an account's session.
    public func send(_ xml: String, to jid: BareJID) { connection(of: jid)?.send(xml) }

    /// Asks a client for something it must answer, as its server; returns when it has, so that all that was sent before
    /// has been read.
    public func barrier(_ jid: BareJID) async throws {
        lastID += 1
        let id = "barrier-\(lastID)"
        guard let connection = connection(of: jid) else { return }
        connection.send("<iq type='get' id='\(id)' from='\(jid.domain)'><ping xmlns='urn:xmpp:ping'/></iq>")
        _ = try await received.next { $0.isReply(to: id) }
    }

    /// Breaks the link, as a pulled cable does.
    public func dropLink(of jid: BareJID) { connection(of: jid)?.channel.breakLink() }

    /// Ends TCP without a closing tag.
    public func endConnection(of jid: BareJID) { connection(of: jid)?.channel.close() }

    /// Closes the stream in order.
    public func closeStream(of jid: BareJID) {
        connection(of: jid)?.send("</stream:stream>")
    }

    /// Ends the stream with an error.
    public func sendStreamError(_ condition: String, to jid: BareJID) {
        guard let connection = connection(of: jid) else { return }
        connection.send(Self.streamError(condition))
        connection.channel.close()
    }

    // MARK: Connections

    func connection(of jid: BareJID) -> ServerConnection? {
        accounts[jid]?.connection.flatMap { connections[$0] }
    }

    private func accept(_ channel: MemoryChannel) -> (@Sendable (ChannelEvent) -> Void)? {
        lastConnection += 1
        let number = lastConnection
        events.record(.connected(number))
        guard behaviour.isReachable else { return nil }
        connections[number] = ServerConnection(number: number, channel: channel)
        return { [weak self] event in self?.assumeIsolated { $0.handle(event, number) } }
    }

    private func handle(_ event: ChannelEvent, _ number: Int) {
        switch event {
        case .attempted, .connected, .secured, .writable:
            break
        case .received(let bytes):
            guard let parser = connections[number]?.parser else { return }
            for event in parser.feed(bytes) { handle(event, number) }
        case .closed:
            guard let connection = connections.removeValue(forKey: number) else { return }
            if let jid = connection.account, accounts[jid]?.connection == number {
                accounts[jid]?.connection = nil
                accounts[jid]?.isAvailable = false
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
            // First the answer, then the record: who waits for the record finds the answer on its way.
            if case .bound(let jid) = connection.stage {
                handle(received, jid, connection)
            } else {
                negotiate(element, number)
            }
            self.received.record(received)
        case .discarded: break
        case .closed:
            events.record(.streamClosed(number))
            guard behaviour.answersClosing else { return }
            connection.send("</stream:stream>")
            connection.channel.close()
        case .failed:
            connection.send(Self.streamError("not-well-formed"))
            connection.channel.close()
        }
    }

    static func streamError(_ condition: String) -> String {
        "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>"
    }
}
