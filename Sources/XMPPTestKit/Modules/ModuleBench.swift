public import XMPPClient
public import XMPPCore
import XMPPModules
import XMPPTransport

/// A module in an account of a scripted server, with nothing of a network and with time that moves by hand.
///
/// ```swift
/// let bench = try await ModuleBench(Echo.self, settings: .init(), contacts: [.init(ann, subscription: "both")])
/// try await bench.hear("hello", from: JID("ann@example.net/phone"))
/// #expect(bench.said.map(\.body) == ["hello"])
/// await bench.end()
/// ```
public struct ModuleBench: Sendable {
    /// The server, where others speak to the account.
    public let server: ScriptedServer
    /// The client that hosts the module.
    public let client: Client
    /// What it keeps; another bench that is given it goes on with it.
    public let memory: ModuleMemory
    /// Its clock.
    public let time: ManualTime
    private let running: Task<Void, any Error>
    private let ownsServer: Bool

    /// What modules keep, over several benches.
    public final class ModuleMemory: Sendable {
        private let areas = Locked<[String: MemoryModuleStorage]>([:])

        /// Nothing yet.
        public init() {}

        fileprivate func area(_ module: String) -> MemoryModuleStorage {
            areas.withLock { areas in
                let area = areas[module] ?? MemoryModuleStorage()
                areas[module] = area
                return area
            }
        }
    }

    /// Lets a module begin in an account that is online.
    ///
    /// - Parameters:
    ///   - type: The module.
    ///   - settings: Its settings.
    ///   - account: Whose account; `bot@example.org` where nothing is said.
    ///   - contacts: The account's roster.
    ///   - server: One that is shared with other benches; nil for one of its own.
    ///   - memory: What the module kept before.
    ///   - time: The clock; the server's other benches have the same.
    /// - Throws: Where the process has no descriptors left, or the login fails.
    public init<Module: XMPPModule>(
        _ type: Module.Type, settings: Module.Settings, account: BareJID? = nil, contacts: [ServerRosterItem] = [],
        server: ScriptedServer? = nil, memory: ModuleMemory = ModuleMemory(), time: ManualTime = ManualTime()
    ) async throws {
        try await self.init(account: account, contacts: contacts, server: server, memory: memory, time: time) {
            $0.host(type, settings: settings)
        }
    }

    /// Lets several modules begin in one account.
    ///
    /// ```swift
    /// let bench = try await ModuleBench(contacts: [ann]) {
    ///     $0.host(Echo.self, settings: .init())
    ///     $0.host(Greeter.self, settings: .init(welcome: "Hello"))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - account: Whose account; `bot@example.org` where nothing is said.
    ///   - contacts: The account's roster.
    ///   - server: One that is shared with other benches; nil for one of its own.
    ///   - memory: What the modules kept before.
    ///   - time: The clock; the server's other benches have the same.
    ///   - hosting: Hosts them, in the order of a configuration.
    /// - Throws: Where the process has no descriptors left, or the login fails.
    public init(
        account: BareJID? = nil, contacts: [ServerRosterItem] = [], server: ScriptedServer? = nil,
        memory: ModuleMemory = ModuleMemory(), time: ManualTime = ManualTime(),
        hosting: (inout Client.Options) -> Void
    ) async throws {
        let account = try account ?? BareJID("bot@example.org")
        let ownsServer = server == nil
        let server = try server ?? ScriptedServer()
        await server.add(account, password: "secret", roster: contacts)
        var options = Client.Options()
        options.transport = server.transport(time: time)
        hosting(&options)
        options.moduleStorage = { memory.area($0) }
        let link = ClientLink()
        options.modules = {
            let roster = RosterModule(account: account) { change in link.tell(change) }
            let disco = DiscoModule { roster.mayKnow($0) }
            return [
                roster, PresenceModule(account: account, roster: roster), disco,
                CapsModule(node: "urn:example:bench", disco: disco),
            ]
        }
        let client = try Client(account: account, password: "secret", options: options)
        link.set(client)
        (self.server, self.client, self.memory, self.time, self.ownsServer) = (server, client, memory, time, ownsServer)
        // Unstructured: it is the bot's life, which `end()` ends and waits for.
        running = Task { try await client.run() }
        try await client.online()
        await settle()
    }

    /// Ends the client, and the server that is its own.
    public func end() async {
        await client.stop()
        _ = try? await running.value
        if ownsServer { server.stop() }
    }

    /// Somebody says something to the account; returns when the module has done with it.
    public func hear(_ body: String, from sender: JID) async {
        await server.say(body, from: sender, to: client.account)
        await settle()
    }

    /// A message of any kind; returns when the module has done with it.
    public func hear(_ message: Message, from sender: JID) async {
        await server.deliver(message, from: sender, to: client.account)
        await settle()
    }

    /// Tells the module of a decision or a contact as the service would; returns when it has done with that.
    public func happen(_ event: ModuleEvent) async {
        await client.tell(event)
        await settle()
    }

    /// Moves time; returns when everything that was due is done.
    public func pass(_ duration: Duration) async {
        await settle()
        time.advance(by: duration)
        await settle()
    }

    /// Returns when the server, the client and the module have nothing left to do.
    ///
    /// A module that waits for something itself, or does not come back, is not waited for longer than a minute.
    public func settle() async {
        let deadline = SystemTime().now + .seconds(60)
        var before: [Int]?
        while SystemTime().now < deadline {
            await time.settle()
            guard let board = await client.hostedModules else { return }
            let rest = board.rest
            // It has rested, what it said was heard, and nothing came back to it.
            if let rest, rest == before { return }
            before = rest
            await Task.yield()
        }
    }

    /// The messages that the account has sent, oldest first.
    public var said: [Message] {
        server.received.all.filter { $0.account == client.account }.compactMap { Message($0.element) }
    }

    /// The figures of the module: handled, dropped and failed events.
    public var figures: (handled: Int, dropped: Int, errors: Int) {
        get async {
            let status = await client.hostedModules?.statuses.first
            return (status?.handled ?? 0, status?.dropped ?? 0, status?.errors ?? 0)
        }
    }
}

/// The client that a roster belongs to, which is made after what makes the roster.
private final class ClientLink: Sendable {
    private let client = Locked(WeakClient())

    private struct WeakClient {
        weak var client: Client?
    }

    func set(_ client: Client) { self.client.withLock { $0.client = client } }

    /// On the client's loop.
    func tell(_ change: RosterPayload.Change) {
        let event: ModuleEvent =
            switch change {
            case .set(let item): .contact(ModuleContact(item))
            case .remove(let contact): .contactRemoved(contact)
            }
        client.withLock { $0.client }?.assumeIsolated { $0.tell(event) }
    }
}
