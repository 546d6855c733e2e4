import Foundation
import Glibc
import XMPPCore

/// A client of the tests: somebody who asks to be added, or a second client of a bot's account.
///
/// It speaks to the server's unencrypted port with SASL PLAIN and shares only the XML reader with the product, so what
/// it sees is seen by something else than what is tested. It writes down everything that arrives.
///
/// `@unchecked Sendable`: all its state belongs to `queue`.
final class Guest: @unchecked Sendable {
    let jid: BareJID
    let fd: Int32
    let queue: DispatchQueue
    private let source: any DispatchSourceRead
    private let parser = XMLStreamParser(limits: XMLLimits(stanzaBytes: 1 << 20))
    private var mustReset = false
    private(set) var log: [Element] = []
    private var isClosed = false
    private var waiters: [Int: Waiter] = [:]
    private var nextID = 0
    /// Whether it lets everybody see its presence who asks.
    private var acceptsAll = false

    private struct Waiter {
        var what: String
        var matches: @Sendable (Element) -> Bool
        var continuation: CheckedContinuation<Element, any Error>
    }

    var address: String { jid.description }

    // MARK: Login

    /// Logs in: roster, then initial presence.
    ///
    /// With `acceptsAll` it answers each `subscribe` with `subscribed`.
    static func login(
        _ address: String, password: String, to server: any RealServer, resource: String = "guest",
        acceptsAll: Bool = false
    ) async throws -> Guest {
        let guest = try Guest(BareJID(address), fd: Sockets.connect(port: server.plainPort))
        do {
            try await guest.open(password, resource, acceptsAll)
        } catch {
            guest.leave()
            throw error
        }
        return guest
    }

    init(_ jid: BareJID, fd: Int32) {
        self.jid = jid
        self.fd = fd
        queue = DispatchQueue(label: "guest \(jid)")
        source = DispatchSource.makeReadSource(fileDescriptor: fd, queue: queue)
        source.setEventHandler { [self] in readable() }
        source.setCancelHandler { close(fd) }
        source.resume()
    }

    private func open(_ password: String, _ resource: String, _ acceptsAll: Bool) async throws {
        let header = Array(
            """
            <?xml version='1.0'?><stream:stream to='\(jid.domain)' version='1.0' xmlns='jabber:client' \
            xmlns:stream='http://etherx.jabber.org/streams'>
            """.utf8)
        try Sockets.send(header, to: fd)
        _ = try await next("the first features") { $0.matches("features", Namespace.streams) }
        let mark = await mark()
        queue.sync { self.acceptsAll = acceptsAll }
        let secret = Data("\0\(jid.local ?? "")\0\(password)".utf8).base64EncodedString()
        var auth = Element("auth", namespace: Namespace.sasl, children: [.text(secret)])
        auth[attribute: "mechanism"] = "PLAIN"
        send(auth)
        let answer = try await next("the answer to PLAIN") { $0.namespace == Namespace.sasl }
        guard answer.matches("success", Namespace.sasl) else {
            throw HarnessError("\(jid) could not log in: \(answer.elements.first?.name ?? answer.name)")
        }
        try Sockets.send(header, to: fd)
        _ = try await next("the second features", after: mark) { $0.matches("features", Namespace.streams) }
        let wanted = Element("resource", namespace: Namespace.bind, children: [.text(resource)])
        try await request("set", Element("bind", namespace: Namespace.bind, children: [.element(wanted)]))
        _ = try await roster()
        send(Element("presence", namespace: Namespace.client))
        _ = try await next("its own presence") { [jid] in
            $0.name == "presence" && $0[attribute: "type"] == nil
                && $0[attribute: "from"]?.hasPrefix("\(jid)/") == true
        }
    }

    /// Says goodbye and closes.
    func leave() {
        queue.sync {
            guard !isClosed else { return }
            try? Sockets.send(Array("</stream:stream>".utf8), to: fd)
            end()
        }
    }

    // MARK: What it does

    func send(_ stanza: Element) {
        try? Sockets.send(stanza.serialized(inside: Namespace.client), to: fd)
    }

    /// A presence to a bare address.
    func presence(_ type: String, to contact: String, status: String? = nil, nickname: String? = nil) {
        var stanza = Element("presence", namespace: Namespace.client)
        stanza[attribute: "to"] = contact
        stanza[attribute: "type"] = type
        if let status {
            stanza.children.append(.element(Element("status", namespace: Namespace.client, children: [.text(status)])))
        }
        if let nickname {
            stanza.children.append(.element(Element("nick", namespace: Namespace.nick, children: [.text(nickname)])))
        }
        send(stanza)
    }

    /// Asks to see an account's presence.
    func ask(_ account: String, status: String? = nil, nickname: String? = nil) {
        presence("subscribe", to: account, status: status, nickname: nickname)
    }

    /// A request and its result; an error of the server is thrown.
    @discardableResult
    func request(_ type: String, to recipient: String? = nil, _ payload: Element) async throws -> Element {
        let id = queue.sync {
            nextID += 1
            return "g\(nextID)"
        }
        var iq = Element("iq", namespace: Namespace.client, children: [.element(payload)])
        iq[attribute: "type"] = type
        iq[attribute: "id"] = id
        iq[attribute: "to"] = recipient
        send(iq)
        let reply = try await next("the reply to \(payload.name)") { $0.name == "iq" && $0[attribute: "id"] == id }
        guard reply[attribute: "type"] == "result" else {
            let condition = reply.first("error", Namespace.client)?.elements.first?.name ?? "error"
            throw HarnessError("\(payload.name) was refused: \(condition)")
        }
        return reply
    }

    /// Waits until the server has processed all that was sent before.
    func settle() async throws {
        try await request("get", to: jid.domain, Element("ping", namespace: Namespace.ping))
    }

    /// Its contact list: bare address to (subscription, ask, name, groups).
    func roster() async throws -> [String: Item] {
        let reply = try await request("get", Element("query", namespace: Namespace.roster))
        let items = reply.first("query", Namespace.roster)?.elements ?? []
        return items.reduce(into: [:]) { roster, item in
            roster[item[attribute: "jid"] ?? ""] = Item(
                subscription: item[attribute: "subscription"] ?? "none", asked: item[attribute: "ask"] != nil,
                name: item[attribute: "name"], groups: item.elements.map(\.text))
        }
    }

    struct Item: Hashable, Sendable {
        var subscription: String
        var asked: Bool
        var name: String?
        var groups: [String]
    }

    /// Sets or removes an item of its contact list.
    func setItem(_ contact: String, name: String? = nil, remove: Bool = false) async throws {
        var item = Element("item", namespace: Namespace.roster)
        item[attribute: "jid"] = contact
        item[attribute: "name"] = name
        if remove { item[attribute: "subscription"] = "remove" }
        try await request("set", Element("query", namespace: Namespace.roster, children: [.element(item)]))
    }

    /// The addresses that it blocks (XEP-0191).
    func blockList() async throws -> [String] {
        let reply = try await request("get", Element("blocklist", namespace: Namespace.blocking))
        return reply.first("blocklist", Namespace.blocking)?.elements.compactMap { $0[attribute: "jid"] } ?? []
    }

    // MARK: What it sees

    /// The place after what has arrived so far.
    func mark() async -> Int { queue.sync { log.count } }

    /// The first element behind the mark that fits, of those that arrived already or will.
    @discardableResult
    func next(
        _ what: String, after mark: Int = 0, within limit: Duration = .seconds(30),
        where matches: @escaping @Sendable (Element) -> Bool
    ) async throws -> Element {
        try await withCheckedThrowingContinuation { continuation in
            queue.sync {
                if let found = log.dropFirst(mark).first(where: matches) {
                    continuation.resume(returning: found)
                } else if isClosed {
                    continuation.resume(throwing: HarnessError("\(jid): the connection closed before \(what)"))
                } else {
                    nextID += 1
                    let id = nextID
                    waiters[id] = Waiter(what: what, matches: matches, continuation: continuation)
                    queue.asyncAfter(deadline: .now() + limit.seconds) { self.expire(id, limit) }
                }
            }
        }
    }

    /// Waits for a presence of that type from an account.
    @discardableResult
    func next(_ type: String, from account: String, after mark: Int = 0) async throws -> Element {
        try await next("'\(type)' from \(account)", after: mark) { Self.is($0, type, account) }
    }

    /// How many presences of that type came from an account so far.
    func count(_ type: String, from account: String) -> Int {
        queue.sync { log.count { Self.is($0, type, account) } }
    }

    private static func `is`(_ element: Element, _ type: String, _ account: String) -> Bool {
        guard element.name == "presence", element[attribute: "type"] == type, let from = element[attribute: "from"]
        else { return false }
        return from == account || from.hasPrefix(account + "/")
    }

    // MARK: The stream

    private func readable() {
        let bytes = Sockets.receive(from: fd)
        guard !bytes.isEmpty else { return end() }
        for event in parser.feed(bytes) {
            switch event {
            case .opened, .discarded: break
            case .element(let element): arrived(element)
            case .closed, .failed: return end()
            }
        }
        if mustReset {
            mustReset = false
            parser.reset()
        }
    }

    private func arrived(_ element: Element) {
        log.append(element)
        if element.matches("success", Namespace.sasl) { mustReset = true }
        if element.name == "iq", element[attribute: "type"] == "set" || element[attribute: "type"] == "get" {
            answer(element)
        }
        if acceptsAll, element.name == "presence", element[attribute: "type"] == "subscribe",
            let from = element[attribute: "from"]
        {
            presence("subscribed", to: from)
        }
        for (id, waiter) in waiters where waiter.matches(element) {
            waiters[id] = nil
            waiter.continuation.resume(returning: element)
        }
    }

    /// Pushes are acknowledged; every other request gets an empty result too, which harms nothing here.
    private func answer(_ iq: Element) {
        var reply = Element("iq", namespace: Namespace.client)
        reply[attribute: "type"] = "result"
        reply[attribute: "id"] = iq[attribute: "id"]
        reply[attribute: "to"] = iq[attribute: "from"]
        send(reply)
    }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        source.cancel()
        let gone = waiters.values
        waiters = [:]
        for waiter in gone {
            waiter.continuation.resume(throwing: HarnessError("\(jid): the connection closed before \(waiter.what)"))
        }
    }

    private func expire(_ id: Int, _ limit: Duration) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        waiter.continuation.resume(throwing: HarnessError("\(jid) waited \(limit) in vain for \(waiter.what)"))
    }
}
