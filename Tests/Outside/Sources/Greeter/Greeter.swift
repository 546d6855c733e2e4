import XMPPClient
import XMPPCore
import XMPPModules

/// Lets everybody of its own domain add it, refuses all others, and says hello to whom it let in.
public struct Greeter: Sendable {
    /// The account, online while `run()` lasts.
    public let client: Client
    private let account: BareJID
    private let requests: AsyncStream<SubscriptionRequest>

    /// A bot that is not online yet.
    public init(account: BareJID, password: String, options: Client.Options) throws {
        let (requests, sink) = AsyncStream<SubscriptionRequest>.makeStream()
        var options = options
        options.modules = {
            // It asks for the roster by itself, when a session begins.
            let roster = RosterModule(account: account) { _ in }
            return [
                roster,
                // A module is called on the client's loop, so it only hands on what it sees.
                SubscriptionModule { if case .requested(let request) = $0 { sink.yield(request) } },
                // Whom it let in may know that it is online; to strangers nobody is here (RFC 6120 section 8.3.3.19).
                PingModule(mayKnow: roster.mayKnow),
            ]
        }
        self.account = account
        self.requests = requests
        client = try Client(account: account, password: password, options: options)
    }

    /// Logs in and works, until the client is stopped.
    public func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                for await request in requests { try? await answer(request) }
            }
            try await client.run()
            group.cancelAll()
        }
    }

    /// Who is in its roster; it waits until there is a session.
    public func contacts() async throws -> Set<BareJID> {
        try await client.online()
        return await client.withModule(RosterModule.self) { Set($0.items.keys) } ?? []
    }

    private func answer(_ request: SubscriptionRequest) async throws {
        guard request.contact.domain == account.domain else {
            return try await client.rejectRequest(of: request.contact)
        }
        let hello = Message(to: JID(request.contact), body: "Hello, \(request.nickname ?? "you")!")
        // First, since the accept brings a push of the roster, whose answer would come before or behind it by chance.
        try await client.send(hello)
        try await client.acceptRequest(of: request.contact)
    }
}
