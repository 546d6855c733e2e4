import XMPPClient
import XMPPCore
import XMPPModules

/// What the article on contacts shows; `ContactsArticleTests` holds that it is the same.
enum ContactsSnippets {
    /// A roster as a program keeps it.
    final class Kept {
        var roster = Roster()
        var version: String?
        private var loading = Roster()

        func apply(_ event: RosterEvent) {
            switch event {
            case .began: loading = Roster()
            case .item(let item): loading.set(item)
            case .ended(.whole(let version)): (roster, self.version) = (loading, version)
            case .ended(.unchanged(let version)): self.version = version
            case .changed(.set(let item), _, let version):
                roster.set(item)
                self.version = version
            case .changed(.remove(let jid), _, let version):
                roster.remove(jid)
                self.version = version
            case .ended(.failed), .refused, .left: break
            }
        }
    }

    static func options(
        _ account: BareJID, _ sink: AsyncStream<SubscriptionModule.Event>.Continuation, _ options: inout Client.Options
    ) {
        // In the client's isolation only.
        nonisolated(unsafe) let kept = Kept()
        options.modules = {
            let roster = RosterModule(account: account, cached: kept.roster, version: kept.version) { kept.apply($0) }
            let presence = PresenceModule(account: account, roster: roster)
            let subscriptions = SubscriptionModule(roster: roster) { event in sink.yield(event) }
            let list = ContactList(roster: roster, presence: presence, order: .presence)
            return [roster, presence, subscriptions, list, PingModule(mayKnow: roster.mayKnow)]
        }
    }

    static func search(_ client: Client, _ print: (String, String) -> Void) async {
        let view = await client.withModule(ContactList.self) { $0.view }
        for contact in view?.search("ann") ?? [] {
            print(contact.item.displayName, contact.show.map { "\($0)" } ?? "offline")
        }
    }

    static func follow(
        _ client: Client, redraw: (Client) async -> Void, print: (String) -> Void
    ) async {
        guard let changes = await client.withModule(ContactList.self, { $0.changes() }) else { return }
        var last: UInt64 = 0
        for await change in changes {
            if last > 0, change.number > last + 1 { await redraw(client) }
            last = change.number
            switch change.kind {
            case .loaded: await redraw(client)
            case .item(let item): print("\(item.jid) is \(item.displayName) now")
            case .removed(let jid): print("\(jid) is gone from the list")
            case .presence(let jid, let show): print("\(jid) is \(show.map { "\($0)" } ?? "offline")")
            }
        }
    }

    static func change(_ client: Client, _ ann: BareJID) async throws {
        try await client.changeRoster { $0.add(ann, name: "Ann", groups: ["Friends"], reply: $1) }
        try await client.changeRoster { $0.rename(ann, to: "Ann B.", reply: $1) }
        try await client.changeRoster { $0.add(ann, toGroup: "Work", reply: $1) }
        try await client.changeRoster { $0.remove(ann, reply: $1) }
    }

    static func hear(_ events: AsyncStream<SubscriptionModule.Event>, print: (String) -> Void) async {
        for await event in events {
            switch event {
            case .requested(let request): print("\(request.contact) asks: \(request.message ?? "")")
            case .unsubscribed(let jid): print("\(jid) does not want to see us any more, or takes a request back")
            case .approved(let jid): print("\(jid) lets us see it")
            case .denied(let jid): print("\(jid) says no")
            case .cancelled(let jid): print("\(jid) does not let us see it any more")
            case .failed(let jid, let error): print("\(jid) cannot be asked: \(error.condition.name)")
            case .repeated: break
            }
        }
    }

    static func answer(_ client: Client, _ ann: BareJID) async throws {
        try await client.acceptRequest(of: ann, asksBack: true)
        try await client.revokePresence(from: ann)
        for request in await client.pendingRequests { try await client.rejectRequest(of: request.contact) }
    }

    static func compare(_ kept: Roster, _ loaded: Roster, print: (String) -> Void) {
        for change in RosterComparison(from: kept, to: loaded).differences {
            if change.isAdded { print("\(change.jid) is new") }
            if change.subscriptions.contains(.cancelled) { print("\(change.jid) does not let us see it any more") }
        }
    }
}
