import Testing
import XMPPCore

/// Where the servers agree about subscriptions, and what they say of roster sets, which docs/servers.md lists.
@Suite("What the servers do with rosters", .serialized)
struct ServerRosterDifferenceTests {
    typealias Scene = ServerDifferenceTests.Scene

    /// Both see each other.
    private func friends(_ scene: Scene) async throws -> Guest {
        let me = try await scene.login()
        me.ask(scene.them)
        try await scene.other.next("subscribe", from: scene.me)
        scene.other.presence("subscribed", to: scene.me)
        scene.other.ask(scene.me)
        try await me.next("subscribe", from: scene.them)
        me.presence("subscribed", to: scene.them)
        try await scene.other.next("subscribed", from: scene.me)
        _ = try await me.heard(after: 0, causedBy: [scene.other])
        #expect(try await me.state(of: scene.them) == "both")
        return me
    }

    @Test("What a contact ended while we were away is in the roster alone", arguments: ServerKind.allCases)
    func whileAway(_ kind: ServerKind) async throws {
        let scene = try await Scene("away", kind)
        let me = try await friends(scene)
        try await scene.leave(me)
        scene.other.presence("unsubscribed", to: scene.me)
        scene.other.presence("unsubscribe", to: scene.me)
        try await scene.other.settle()
        let again = try await scene.login()
        #expect(try await again.heard(after: 0, causedBy: [scene.other]).isEmpty)
        #expect(try await again.state(of: scene.them) == "none")
        for guest in [again, scene.other] { guest.leave() }
    }

    @Test(
        "A contact who sees us asks again: the servers have it out, and neither client hears of it",
        arguments: ServerKind.allCases)
    func repeated(_ kind: ServerKind) async throws {
        let scene = try await Scene("repeated", kind)
        let me = try await friends(scene)
        let (mine, theirs) = (await me.mark(), await scene.other.mark())
        scene.other.ask(scene.me)
        let heard = try await me.heard(after: mine, causedBy: [scene.other])
        #expect(!heard.contains("subscribe \(scene.them)"), "\(heard)")
        // Our server's answer changes nothing at theirs, which therefore keeps it (RFC 6121 section A.3.3).
        let answers = try await scene.other.heard(after: theirs, causedBy: [me])
        #expect(!answers.contains("subscribed \(scene.me)"), "\(answers)")
        #expect(try await me.state(of: scene.them) == "both")
        for guest in [me, scene.other] { guest.leave() }
    }

    @Test(
        "Nobody of that name waits for ever, told on Prosody alone; no such server is an error behind the push",
        arguments: ServerKind.allCases)
    func nobody(_ kind: ServerKind) async throws {
        let scene = try await Scene("nobody", kind)
        let me = try await scene.login()
        let missing = "no-such-user@\(Hosts.corp)"
        let mark = await me.mark()
        me.ask(missing)
        try await me.settle()
        let heard = try await me.heard(after: mark, causedBy: [scene.other])
        #expect(heard.contains("push \(missing) none asked"))
        #expect(heard.contains("unavailable \(missing)") == scene.isProsody, "\(heard)")
        let nowhere = "ann@nowhere.test"
        let second = await me.mark()
        me.ask(nowhere)
        let error = try await me.next("error", from: nowhere, after: second)
        #expect(error.first("error", Namespace.client) != nil)
        #expect(try await me.heard(after: second) == ["push \(nowhere) none asked", "error \(nowhere)"])
        #expect(try await me.state(of: nowhere) == "none asked")
        for guest in [me, scene.other] { guest.leave() }
    }

    @Test("Sets that are odd: each server takes others and refuses others", arguments: ServerKind.allCases)
    func sets(_ kind: ServerKind) async throws {
        let scene = try await Scene("sets", kind)
        let me = try await scene.login()
        func said(_ contact: String, groups: [String] = [], subscription: String? = nil) async throws -> String? {
            try await me.set(contact, groups: groups, subscription: subscription)
        }
        let ann = "ann@\(Hosts.corp)"
        #expect(try await said(scene.me) == (scene.isProsody ? "not-allowed" : nil))
        #expect(try await said("\(ann)/phone") == (scene.isProsody ? "bad-request" : nil))
        #expect(try await said(ann, groups: ["A", "A"]) == (scene.isProsody ? nil : "bad-request"))
        #expect(try await said(ann, groups: [""]) == (scene.isProsody ? nil : "bad-request"))
        #expect(
            try await said("never@\(Hosts.corp)", subscription: "remove") == (scene.isProsody ? "item-not-found" : nil))
        for guest in [me, scene.other] { guest.leave() }
    }

    @Test(
        "The push of one's own set comes to every resource, on ejabberd before the result",
        arguments: ServerKind.allCases)
    func pushes(_ kind: ServerKind) async throws {
        let scene = try await Scene("pushes", kind)
        let me = try await scene.login()
        let phone = try await Guest.login(scene.me, password: "pw", to: scene.server, resource: "phone")
        let ann = "ann@\(Hosts.corp)"
        let mark = await me.mark()
        #expect(try await me.set(ann) == nil)
        try await phone.next("the push") {
            $0.first("query", Namespace.roster)?.first("item", Namespace.roster)?[attribute: "jid"] == ann
        }
        _ = try await me.heard(after: mark)
        let order = me.answersAndPushes(after: mark)
        #expect(Set(order) == ["set", "result"] && (scene.isProsody || order == ["set", "result"]), "\(order)")
        for guest in [me, phone, scene.other] { guest.leave() }
    }
}
