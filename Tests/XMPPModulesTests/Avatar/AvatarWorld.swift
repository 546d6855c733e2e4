import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Pictures, and what is said of them.
enum Pictures {
    /// One transparent pixel.
    static let dot: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
        8, 6, 0, 0, 0, 0x1F, 0x15, 0xC4, 0x89, 0, 0, 0, 0x0D, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x62, 0x60, 1, 0, 0,
        0, 0xFF, 0xFF, 3, 0, 0, 6, 0, 5, 0x57, 0xBF, 0xAB, 0xD4, 0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60,
        0x82,
    ]
    /// Nothing that can be shown, but its first bytes are those of a GIF of one pixel.
    static let other = Array("GIF89a\u{1}\0\u{1}\0\0\0\0 and more".utf8)

    static func image(_ bytes: [UInt8] = dot) throws -> AvatarImage { try AvatarImage(bytes) }

    static func card(_ photo: VCardPhoto?) -> Element {
        var card = VCard()
        card.photo = photo
        return card.element
    }
}

extension ServerContent {
    /// Publishes a picture at both nodes of an account.
    func publish(_ image: AvatarImage, of jid: BareJID, id: AvatarHash? = nil) {
        let id = (id ?? image.hash).description
        publish(AvatarDataPayload.element(image), id: id, at: Namespace.avatarData, of: jid)
        publish(AvatarMetadata(image).element, id: id, at: Namespace.avatarMetadata, of: jid)
    }
}

/// A client with the module, its server, and what the module told.
struct AvatarWorld {
    let server: ScriptedServer
    let content = ServerContent()
    let time = ManualTime()
    let client: Client
    let told = EventRecorder<AvatarModule.Change>()
    /// Used in the client's isolation only.
    private nonisolated(unsafe) let cache: MemoryAvatarCache
    private let running: Task<Void, any Error>

    init(
        _ behaviour: ServerBehaviour = .modern, perMinute: Int = ContactAvatars.perMinute, waitsForRestore: Bool = false
    ) async throws {
        server = try ScriptedServer()
        await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ann, subscription: "both")])
        await server.behave { $0 = behaviour }
        await server.react(content.reaction)
        var options = Client.Options()
        options.transport = server.transport(time: time)
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        nonisolated(unsafe) let cache = MemoryAvatarCache()
        self.cache = cache
        options.modules = { [told] in
            let avatars = AvatarModule(
                account: .bot, cache: cache, perMinute: perMinute, waitsForRestore: waitsForRestore,
                isContact: { $0 == .ann }, onChange: { told.record($0) })
            return [avatars]
        }
        let client = try Client(account: .bot, password: "secret", options: options)
        self.client = client
        running = Task { try await client.run() }
        try await client.online()
        try await server.barrier(.bot)
    }

    func presence(_ update: String, from: String = "ann@example.org/x", more: String = "") async throws {
        await server.send("<presence from='\(from)'>\(update)\(more)</presence>", to: .bot)
        try await server.barrier(.bot)
    }

    func photo(_ hash: String) -> String { "<x xmlns='vcard-temp:x:update'><photo>\(hash)</photo></x>" }

    func asks(_ name: String, _ namespace: String) -> Int {
        server.received.all.count { $0.isIQ("get", name, namespace) }
    }

    var cards: Int { asks("vCard", Namespace.vCard) }
    var items: Int { asks("pubsub", Namespace.pubSub) }

    /// Asks what a contact has now.
    func ask(_ contact: BareJID) async throws -> Result<ContactAvatar, ClientError> {
        let answers = EventRecorder<Result<ContactAvatar, ClientError>>()
        _ = await client.withModule(AvatarModule.self) { $0.ask(contact) { answers.record($0) } }
        return try await answers.next { _ in true }
    }

    func avatar(_ contact: BareJID = .ann) async -> ContactAvatar? {
        await client.withModule(AvatarModule.self) { $0.avatar(of: contact) } ?? nil
    }

    func isKept(_ hash: AvatarHash) async -> Bool? {
        nonisolated(unsafe) let cache = cache
        return await client.withModule(AvatarModule.self) { _ in cache.contains(hash) }
    }

    /// The wall clock, in milliseconds.
    func now() -> Int64 { time.wallMilliseconds }

    func finish() async throws {
        await client.stop()
        try await running.value
        server.stop()
    }
}
