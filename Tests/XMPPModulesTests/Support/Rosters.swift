import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

extension BareJID {
    static let ally = BareJID(preparedLocal: "ally", preparedDomain: "example.org")
    static let new = BareJID(preparedLocal: "new", preparedDomain: "example.net")
    static let ghost = BareJID(preparedLocal: "ghost", preparedDomain: "example.net")

    /// Somebody at example.org.
    static func of(_ local: String) -> BareJID { BareJID(preparedLocal: local, preparedDomain: "example.org") }

    func at(_ resource: String) -> JID { JID(bare: self, preparedResource: resource) }
}

/// Elements of a roster as a server writes them.
enum RosterXML {
    static func item(
        _ jid: String, _ subscription: String? = nil, name: String? = nil, asked: Bool = false, groups: [String] = []
    ) -> Element {
        var item = Element(
            "item", namespace: Namespace.roster, attributes: [.init("jid", jid)],
            children: groups.map { .element(Element("group", namespace: Namespace.roster, children: [.text($0)])) })
        item[attribute: "subscription"] = subscription
        item[attribute: "name"] = name
        if asked { item[attribute: "ask"] = "subscribe" }
        return item
    }

    static func query(_ items: [Element], version: String? = nil) -> Element {
        var query = Element("query", namespace: Namespace.roster, children: items.map(Element.Node.element))
        query[attribute: "ver"] = version
        return query
    }

    static func push(_ item: Element, version: String? = nil) -> IQ {
        IQ(.set, to: nil, id: "p", payload: query([item], version: version))
    }
}

/// Presences as they arrive.
enum PresenceXML {
    static func make(
        _ type: PresenceType = .available, from: JID, id: String? = nil, _ children: [Element] = []
    ) -> Presence {
        var presence = Presence(type, id: id, children: children)
        presence.from = from
        presence.element[attribute: "from"] = from.description
        return presence
    }

    static func text(_ name: String, _ text: String) -> Element {
        Element(name, namespace: Namespace.client, children: [.text(text)])
    }
}

extension RosterModule {
    /// A mirror with these items, loaded.
    static func loaded(_ items: [Element], onEvent: @escaping (RosterEvent) -> Void = { _ in }) -> RosterModule {
        let roster = RosterModule(account: .bot, cached: Roster(), version: nil, onEvent: onEvent)
        roster.loaded(RosterXML.query(items))
        return roster
    }

    /// A push of the account's server arrives.
    func push(_ item: Element, version: String? = nil) {
        _ = received(request: RosterXML.push(item, version: version))
    }
}

/// A server and a client of it with modules, in memory.
struct LivingModules {
    let server: ScriptedServer
    let client: Client
    let running: Task<Void, any Error>

    init(
        _ behaviour: ServerBehaviour = .modern, server given: ScriptedServer? = nil, roster: [ServerRosterItem] = [],
        modules: @escaping @Sendable () -> [any SessionModule]
    ) async throws {
        let server = try given ?? ScriptedServer()
        await server.add(.bot, password: "secret", roster: roster)
        await server.behave { $0 = behaviour }
        var options = Client.Options()
        options.transport = server.transport()
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        options.modules = modules
        let client = try Client(account: .bot, password: "secret", options: options)
        (self.server, self.client) = (server, client)
        running = Task { try await client.run() }
    }

    /// Its presence has arrived, and all that was sent before.
    func available() async throws {
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        try await server.barrier(.bot)
    }

    func finish(stoppingServer: Bool = true) async throws {
        await client.stop()
        try await running.value
        if stoppingServer { server.stop() }
    }

    /// What it sent, as its server has it.
    var sent: [Element] { server.received.all.map(\.element) }

    /// Presences of that type to anybody.
    func sent(_ type: String) -> [String] {
        sent.filter { $0.matches("presence", Namespace.client) && $0[attribute: "type"] == type }
            .map { $0[attribute: "to"] ?? "" }
    }

    /// Asks the roster for something, and waits for what becomes of it.
    func outcome(
        _ body: @escaping @Sendable (RosterModule, @escaping (Result<Void, RosterError>) -> Void) -> Void
    ) async throws -> RosterError.Code? {
        let outcomes = EventRecorder<RosterError.Code?>()
        await client.withModule(RosterModule.self) { roster in
            body(roster) { result in
                switch result {
                case .success: outcomes.record(nil)
                case .failure(let error): outcomes.record(error.code)
                }
            }
        }
        let code = try await outcomes.next { _ in true }
        try await server.barrier(.bot)
        return code
    }
}
