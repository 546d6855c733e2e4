import Foundation
import Testing
import XMPPCore

/// Where Prosody 0.12 and ejabberd 23.01 differ about subscriptions: docs/servers.md lists it.
///
/// It is what Doorward is built to bear. Plain clients on both sides, so that it is the servers that are seen and nothing of
/// ours.
@Suite("What the servers do with subscriptions", .serialized)
struct ServerDifferenceTests {
    /// One who is asked, and one who asks, on two hosts of one server.
    struct Scene {
        let kind: ServerKind
        let server: any RealServer
        let me: String
        let other: Guest

        var isProsody: Bool { kind == .prosody }
        var them: String { other.address }

        init(_ name: String, _ kind: ServerKind) async throws {
            self.kind = kind
            server = try await Servers.shared.server(kind)
            me = "\(name)-me@\(Hosts.example)"
            try await server.addUser("\(name)-me", at: Hosts.example, password: "pw")
            try await server.addUser("\(name)-other", at: Hosts.corp, password: "pw")
            other = try await Guest.login("\(name)-other@\(Hosts.corp)", password: "pw", to: server)
        }

        func login() async throws -> Guest { try await Guest.login(me, password: "pw", to: server) }

        /// The one who is asked, with the request.
        func asked() async throws -> Guest {
            let me = try await login()
            other.ask(self.me)
            try await me.next("subscribe", from: them)
            return me
        }

        /// The one who is asked leaves, and the server has seen it.
        func leave(_ guest: Guest) async throws {
            guest.leave()
            let resource = "\(me)/guest"
            try await eventually("the server to see it gone") { [other] in
                do {
                    try await other.request("get", to: resource, Element("ping", namespace: Namespace.ping))
                    return false
                } catch is HarnessError {
                    return true
                }
            }
        }

        func relogin(_ guest: Guest) async throws -> Guest {
            try await leave(guest)
            return try await login()
        }
    }

    @Test(
        "A stored request: Prosody delivers it whole, ejabberd its text alone; once at each login",
        arguments: ServerKind.allCases)
    func redelivery(_ kind: ServerKind) async throws {
        let scene = try await Scene("redelivered", kind)
        var request = Element("presence", namespace: Namespace.client)
        request[attribute: "to"] = scene.me
        request[attribute: "type"] = "subscribe"
        request[attribute: "id"] = "first"
        let nick = Element("nick", namespace: Namespace.nick, children: [.text("Nick")])
        let token = Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", "T")])
        let text = Element("status", namespace: Namespace.client, children: [.text("hello")])
        request.children = [.element(text), .element(nick), .element(token)]
        let start = await scene.other.mark()
        scene.other.send(request)
        try await scene.other.settle()
        // XMPP servers may tell the one who asks that the request is kept (RFC 6121 section 3.1.3).
        #expect(
            try await scene.other.heard(after: start)
                == ["push \(scene.me) none asked"] + (scene.isProsody ? ["unavailable \(scene.me)"] : []))
        // Asked again while it is kept.
        scene.other.ask(scene.me, status: "again")
        try await scene.other.settle()
        for _ in 0..<2 {
            let me = try await scene.login()
            let delivered = try await me.next("subscribe", from: scene.them)
            #expect(me.count("subscribe", from: scene.them) == 1)
            #expect(delivered[attribute: "id"] == (scene.isProsody ? "first" : nil))
            #expect(delivered.first("status", Namespace.client)?.text == "hello")
            #expect((delivered.first("nick", Namespace.nick) != nil) == scene.isProsody)
            #expect((delivered.first("preauth", Namespace.preAuthentication) != nil) == scene.isProsody)
            #expect(delivered.first("delay", "urn:xmpp:delay") == nil)
            try await scene.leave(me)
        }
        scene.other.leave()
    }

    @Test(
        "A request of our own that is not answered: Prosody asks again at each login, ejabberd does not",
        arguments: ServerKind.allCases)
    func ownRequest(_ kind: ServerKind) async throws {
        let scene = try await Scene("own", kind)
        let first = try await scene.login()
        first.ask(scene.them)
        try await scene.other.next("subscribe", from: scene.me)
        let second = try await scene.relogin(first)
        let heard = try await second.heard(after: 0, causedBy: [scene.other])
        #expect(heard.contains("push \(scene.them) none asked") == scene.isProsody, "\(heard)")
        try await scene.leave(second)
        scene.other.leave()
    }

    @Test("A no, a yes and its end: what the contact hears, in which order", arguments: ServerKind.allCases)
    func orders(_ kind: ServerKind) async throws {
        let scene = try await Scene("orders", kind)
        let me = try await scene.login()
        func heard(_ what: () -> Void) async throws -> [String] {
            let mark = await scene.other.mark()
            what()
            try await me.settle()
            return try await scene.other.heard(after: mark, causedBy: [me])
        }
        scene.other.ask(scene.me)
        try await me.next("subscribe", from: scene.them)
        try await scene.other.settle()
        let denied = try await heard { me.presence("unsubscribed", to: scene.them) }
        let no = ["unsubscribed \(scene.me)", "push \(scene.me) none"]
        #expect(denied == (scene.isProsody ? no : no.reversed()))
        let mark = await me.mark()
        scene.other.ask(scene.me)
        try await me.next("subscribe", from: scene.them, after: mark)
        try await scene.other.settle()
        let approved = try await heard { me.presence("subscribed", to: scene.them) }
        let yes = ["subscribed \(scene.me)", "push \(scene.me) to", "available \(scene.me)"]
        // On ejabberd in any order, also in another one the next time.
        #expect(scene.isProsody ? approved == yes : Set(approved) == Set(yes), "\(approved)")
        let cancelled = try await heard { me.presence("unsubscribed", to: scene.them) }
        let end = ["unsubscribed \(scene.me)", "push \(scene.me) none", "unavailable \(scene.me)"]
        #expect(cancelled == (scene.isProsody ? end : end.reversed()))
        for guest in [me, scene.other] { guest.leave() }
    }

    @Test(
        "A yes that nobody asked for: Prosody keeps it, even after a no; ejabberd forgets it",
        arguments: ServerKind.allCases)
    func unasked(_ kind: ServerKind) async throws {
        let scene = try await Scene("unasked", kind)
        let me = try await scene.login()
        me.presence("subscribed", to: scene.them)
        me.presence("unsubscribed", to: scene.them)
        try await me.settle()
        let mark = await me.mark()
        scene.other.ask(scene.me)
        try await scene.other.settle()
        let heard = try await me.heard(after: mark, causedBy: [scene.other])
        if scene.isProsody {
            // Nobody is asked: it is answered by the server.
            #expect(!heard.contains("subscribe \(scene.them)"), "\(heard)")
            #expect(try await me.state(of: scene.them) == "from")
            // Only without the item the next one is a request again.
            #expect(try await me.set(scene.them, subscription: "remove") == nil)
            let again = await me.mark()
            try await scene.other.settle()
            scene.other.ask(scene.me)
            try await me.next("subscribe", from: scene.them, after: again)
        } else {
            #expect(heard == ["subscribe \(scene.them)"])
        }
        for guest in [me, scene.other] { guest.leave() }
    }

    @Test(
        "A yes to one whom we see and who never asked: ejabberd makes it both, on both sides",
        arguments: ServerKind.allCases)
    func forced(_ kind: ServerKind) async throws {
        let scene = try await Scene("forced", kind)
        let me = try await scene.login()
        me.ask(scene.them)
        try await scene.other.next("subscribe", from: scene.me)
        scene.other.presence("subscribed", to: scene.me)
        try await me.next("subscribed", from: scene.them)
        me.presence("subscribed", to: scene.them)
        _ = try await me.heard(after: 0, causedBy: [scene.other])
        _ = try await scene.other.heard(after: 0, causedBy: [me])
        #expect(try await me.state(of: scene.them) == (scene.isProsody ? "to" : "both"))
        #expect(try await scene.other.state(of: scene.me) == (scene.isProsody ? "from" : "both"))
        for guest in [me, scene.other] { guest.leave() }
    }

    @Test(
        "An item that is removed while only a request waits: Prosody knows none, ejabberd drops the request",
        arguments: ServerKind.allCases)
    func removedWhileAsked(_ kind: ServerKind) async throws {
        let scene = try await Scene("pending", kind)
        let me = try await scene.asked()
        let mark = await scene.other.mark()
        #expect(try await me.set(scene.them, subscription: "remove") == (scene.isProsody ? "item-not-found" : nil))
        // Who asked is told nothing either way.
        #expect(try await scene.other.heard(after: mark, causedBy: [me]).isEmpty)
        #expect(try await scene.other.state(of: scene.me) == "none asked")
        let again = try await scene.relogin(me)
        let heard = try await again.heard(after: 0, causedBy: [scene.other])
        #expect(heard.contains("subscribe \(scene.them)") == scene.isProsody, "\(heard)")
        for guest in [again, scene.other] { guest.leave() }
    }

    @Test(
        "A request that is taken back: Prosody tells it, with a push for an item that never was; ejabberd says nothing",
        arguments: ServerKind.allCases)
    func takenBack(_ kind: ServerKind) async throws {
        let scene = try await Scene("taken", kind)
        let me = try await scene.asked()
        let mark = await me.mark()
        scene.other.presence("unsubscribe", to: scene.me)
        try await scene.other.settle()
        let heard = try await me.heard(after: mark, causedBy: [scene.other])
        #expect(heard == (scene.isProsody ? ["unsubscribe \(scene.them)", "push \(scene.them) remove"] : []))
        let again = try await scene.relogin(me)
        #expect(try await again.heard(after: 0, causedBy: [scene.other]).isEmpty)
        for guest in [again, scene.other] { guest.leave() }
    }

    @Test(
        "One who removes us instead: on ejabberd the dead request stays, and a yes to it is seen by nobody",
        arguments: ServerKind.allCases)
    func removedByThem(_ kind: ServerKind) async throws {
        let scene = try await Scene("dead", kind)
        let me = try await scene.asked()
        let mark = await me.mark()
        #expect(try await scene.other.set(scene.me, subscription: "remove") == nil)
        let heard = try await me.heard(after: mark, causedBy: [scene.other])
        let told = ["unsubscribe \(scene.them)", "push \(scene.them) remove"]
        #expect(heard.filter { !$0.hasPrefix("unavailable") } == (scene.isProsody ? told : []))
        let again = try await scene.relogin(me)
        let stored = try await again.heard(after: 0, causedBy: [scene.other])
        #expect(stored == (scene.isProsody ? [] : ["subscribe \(scene.them)"]))
        if !scene.isProsody {
            again.presence("subscribed", to: scene.them)
            try await again.settle()
            #expect(try await again.state(of: scene.them) == "from")
            #expect(try await scene.other.state(of: scene.me) == nil)
        }
        for guest in [again, scene.other] { guest.leave() }
    }
}
