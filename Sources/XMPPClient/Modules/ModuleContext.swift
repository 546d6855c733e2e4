public import XMPPCore
import XMPPCrypto
import XMPPTransport

/// The account as its module sees it: what it may do there, and what it may know.
///
/// It is valid from `init` to the end of the module, in any task. Once there is no session, or the module was shut off, what
/// it would send is refused with `offline`.
public struct ModuleContext: Sendable {
    /// How many events wait for a module at most.
    public static let inboxLimit = 256
    /// How long an answer is waited for where nothing else is said: a little shorter than a call may take.
    public static let requestTimeout = Duration.seconds(4)

    /// Whose account it is.
    public let account: BareJID
    /// The name of the module.
    public let module: String
    /// What the module keeps for this account.
    public let storage: ModuleStorage
    let link: ModuleLink

    // MARK: Sending

    /// Our full address; nil where there is no session.
    public var address: JID? {
        get async { await link.onLoop { host, _ in host.session?.address } ?? nil }
    }

    /// Sends a message.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ message: Message) async throws(ClientError) { try await send([message.element]) }

    /// Sends a message that asks its recipient's client to say that it has arrived (XEP-0184).
    ///
    /// What becomes of it comes as ``ModuleEvent/receipt(_:)`` where the module hears of ``ModuleInterests/receipts``. Rooms give
    /// none, and neither does everybody's client: silence says nothing.
    ///
    /// - Parameters:
    ///   - message: What to send; one without an id gets one.
    ///   - wantsReceipt: Whether it asks.
    /// - Returns: Its id.
    /// - Throws: `ClientError.Code.offline` where there is no session.
    @discardableResult
    public func send(_ message: Message, wantsReceipt: Bool) async throws(ClientError) -> String {
        var message = message
        let id = message.id ?? hexadecimal(randomBytes(8))
        message.id = id
        message.element[attribute: "id"] = id
        let stanza = message
        let result: Result<Void, ClientError>? = await link.onLoop { host, module in
            let asking = wantsReceipt ? host.companion?.asking(stanza, id: id) ?? stanza : stanza
            return host.send([asking.element], of: module)
        }
        try (result ?? .failure(.offline)).get()
        return id
    }

    /// Sends a presence to somebody; that of the account for everybody is the account's own matter.
    ///
    /// - Throws: `not_allowed` where it is for everybody, or one that manages a subscription: the account's policy and its
    ///   operators decide who sees whom. `offline` where there is no session.
    public func send(_ presence: Presence) async throws(ClientError) { try await send([presence.element]) }

    /// Sends stanzas in one write.
    ///
    /// - Throws: `not_allowed` as for a presence, and for what is no stanza: then none of them is sent. `offline` where there
    ///   is no session.
    public func send(_ stanzas: [Element]) async throws(ClientError) {
        let result: Result<Void, ClientError>? = await link.onLoop { host, module in host.send(stanzas, of: module) }
        try (result ?? .failure(.offline)).get()
    }

    /// Says something in answer to a message: to its sender, of its kind and in its thread, and marked as an answer to it
    /// (XEP-0461).
    ///
    /// Nothing is sent to errors, and to messages without a sender.
    ///
    /// - Parameters:
    ///   - message: What is answered.
    ///   - body: What to say.
    ///   - wantsReceipt: Whether the answer asks to be told that it has arrived (``send(_:wantsReceipt:)``).
    /// - Returns: The id of the answer; nil where nothing was sent.
    /// - Throws: `ClientError.Code.offline` where there is no session.
    @discardableResult
    public func reply(
        to message: Message, with body: String, wantsReceipt: Bool = false
    ) async throws(ClientError) -> String? {
        let id = hexadecimal(randomBytes(8))
        guard let reply = Message(replyTo: message, body: body, id: id) else { return nil }
        return try await send(reply, wantsReceipt: wantsReceipt)
    }

    /// Answers a request; only the first answer is sent.
    public func answer(_ request: ModuleRequest, with answer: IQAnswer) async {
        await link.onLoop { host, module in host.answer(request.number, answer, of: module) }
    }

    /// Asks, and waits for the answer; only an answer with the id and the sender of the request counts.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Whom; nil for the account itself.
    ///   - payload: What.
    ///   - timeout: How long to wait for the answer. More than a call may take belongs into ``XMPPModule/run(in:)``.
    /// - Returns: What the result holds, if anything.
    /// - Throws: As `Client.request`.
    @discardableResult
    public func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element, timeout: Duration = requestTimeout
    ) async throws(ClientError) -> Element? {
        try await link.request(type, to: recipient, payload, timeout: timeout).get()
    }

    /// Asks the companion of the host something, on the account's loop.
    ///
    /// - Returns: Nil where there is none of that kind, or the module was shut off.
    package func withCompanion<Companion: ModuleCompanion & SendableMetatype, Value: Sendable>(
        _ type: Companion.Type, _ body: @escaping @Sendable (Companion) -> Value
    ) async -> Value? {
        await link.onLoop { host, module in
            module.isShut ? nil : (host.companion as? Companion).map(body)
        } ?? nil
    }

    // MARK: Knowing

    /// A contact by its address; nil where it is none, or the roster is not there yet.
    public func contact(_ jid: BareJID) async -> ModuleContact? {
        await link.onLoop { host, _ in host.directory?.contact(jid) } ?? nil
    }

    /// All contacts, in no order; none before the roster is there.
    public func contacts() async -> [ModuleContact] {
        await link.onLoop { host, _ in host.directory?.allContacts ?? [] } ?? []
    }

    /// The wall clock; in tests, the one that the test moves.
    public var now: Timestamp { Timestamp(milliseconds: link.time.wallMilliseconds) }

    /// Time that only goes forward, since a moment of no meaning.
    public var uptime: Duration { link.time.now }

    /// Waits, by the clock that a test moves.
    ///
    /// - Throws: `CancellationError` with the task.
    public func sleep(for duration: Duration) async throws { try await link.sleep(for: duration) }

    /// Bytes that nobody can guess; in tests, those that the test says.
    public func randomBytes(_ count: Int) -> [UInt8] { link.chance(max(0, min(count, 65_536))) }

    /// Writes a line into the service's log, at most some in a minute: words of the program, never of the people it serves.
    ///
    /// - Parameters:
    ///   - text: What happened, at most 500 bytes of it. No bodies of messages, no secrets.
    ///   - isWarning: Whether an operator should look at it.
    public func log(_ text: String, isWarning: Bool = false) { link.log(text, isWarning: isWarning) }
}
