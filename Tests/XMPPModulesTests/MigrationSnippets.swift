import XMPPClient
import XMPPCore
import XMPPModules

/// What the articles for users of XMPPFramework show; `MigrationArticleTests` holds that it is the same.
enum MigrationSnippets {
    static func logIn(_ password: String, _ options: Client.Options, print: (String) -> Void) async throws {
        let client = try Client(account: BareJID("bot@example.org"), password: password, options: options)
        async let life: Void = client.run()
        let address = try await client.online()
        print("online as \(address)")
        try await life
    }

    static func load(_ account: BareJID, _ options: inout Client.Options, print: @escaping @Sendable (String) -> Void) {
        options.modules = {
            let roster = RosterModule(
                account: account,
                onLoaded: { roster in print("\(roster.count) contacts") },
                onChange: { change in print("\(change)") })
            return [roster]
        }
    }

    static func read(_ client: Client, _ ann: BareJID) async -> RosterItem? {
        let item = await client.withModule(RosterModule.self) { $0.items[ann] } ?? nil
        return item
    }

    static func answer(
        _ client: Client, _ events: AsyncStream<SubscriptionModule.Event>, isWelcome: (BareJID) -> Bool
    ) async throws(RosterError) {
        for await event in events {
            guard case .requested(let request) = event else { continue }
            let contact = request.contact
            do throws(RosterError) {
                guard isWelcome(contact) else {
                    try await client.rejectRequest(of: contact)
                    continue
                }
                // As andAddToRoster:YES does: an item, and the question back where we do not see the contact yet.
                try await client.changeRoster { $0.set(contact, name: nil, groups: ["Friends"], reply: $1) }
                try await client.acceptRequest(of: contact, asksBack: true)
            } catch {
                // It came twice and was answered, or was taken back meanwhile.
                guard error.code == .notAsked else { throw error }
            }
        }
    }

    static func pictures(
        _ account: BareJID, _ options: inout Client.Options, show: @escaping @Sendable (BareJID, [UInt8]?) -> Void
    ) {
        // Used in the client's isolation only.
        nonisolated(unsafe) let cache = MemoryAvatarCache()
        options.modules = {
            let roster = RosterModule(account: account) { _ in }
            let disco = DiscoModule(mayKnow: roster.mayKnow)
            let caps = CapsModule(node: "https://example.org/bot", disco: disco)
            let isContact = { (jid: BareJID) in (roster.items[jid]?.subscription ?? .none) != .none }
            let avatars = AvatarModule(account: account, cache: cache, isContact: isContact) { change in
                guard case .changed(let contact, _, let avatar) = change else { return }
                show(contact, avatar.hash.flatMap { cache.image($0)?.bytes })
            }
            return [roster, disco, caps, avatars]
        }
    }

    static func pauses(_ options: inout Client.Options) {
        options.backoff = Backoff(base: .seconds(2), cap: .seconds(300))
    }

    static func follow(_ client: Client, print: (String) -> Void) async {
        for await change in client.sessions {
            switch change {
            case .began(let address, _): print("a new session, as \(address)")
            case .resumed: print("the session goes on, nothing is lost")
            case .ended(let error): print(error?.description ?? "stopped")
            }
        }
    }
}
