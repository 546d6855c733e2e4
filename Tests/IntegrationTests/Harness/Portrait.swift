import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// A client of the library that looks at the pictures and cards of others, and publishes its own.
final class Portrait: Sendable {
    /// One transparent pixel.
    static let dot = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGJgAQAAAP//AwAABgAFV7+r1AAAAABJRU5ErkJggg==")
    /// No picture of this world, but it begins like one; it differs by its number.
    static func image(_ number: Int) throws -> AvatarImage {
        try AvatarImage(Array(try #require(dot)) + [UInt8(truncatingIfNeeded: number)])
    }

    let address: BareJID
    private let client: Client
    private let heard: EventRecorder<Presence>
    private let running: Task<Void, any Error>

    private init(_ client: Client, _ running: Task<Void, any Error>, _ heard: EventRecorder<Presence>) {
        (self.client, self.running, self.heard) = (client, running, heard)
        address = client.account
    }

    static func login(_ address: String, password: String, to server: any RealServer) async throws -> Portrait {
        var options = Client.Options()
        options.server = .init(host: "127.0.0.1", port: server.port, usesDirectTLS: false)
        options.authorities = server.caFile
        let account = try BareJID(address)
        let heard = EventRecorder<Presence>()
        options.modules = {
            [
                AvatarModule(account: account, cache: MemoryAvatarCache(), isContact: { _ in true }),
                ProfileModule(account: account, profile: Profile()), PresenceEar { heard.record($0) },
            ]
        }
        let client = try Client(account: account, password: password, options: options)
        let running = Task { try await client.run() }
        try await client.online()
        return Portrait(client, running, heard)
    }

    /// Asks to see somebody.
    func subscribe(to contact: BareJID) async throws {
        try await client.send([SubscriptionPayload.presence(.subscribe, to: contact)])
    }

    /// Returns when a presence of somebody says that of its picture, which none has said before.
    func hears(_ update: VCardUpdate, of contact: BareJID) async throws {
        _ = try await heard.next {
            $0.type == .available && $0.from?.bare == contact && VCardUpdate($0) == update
        }
    }

    /// The picture that somebody has now.
    func picture(of contact: BareJID) async throws -> AvatarHash? {
        let answers = EventRecorder<Result<ContactAvatar, ClientError>>()
        _ = await client.withModule(AvatarModule.self) { $0.ask(contact) { answers.record($0) } }
        return try await answers.next { _ in true }.get().hash
    }

    /// The card that somebody has now.
    func card(of contact: BareJID) async throws -> VCard {
        let answer = try await client.request(.get, to: JID(contact), VCard.request)
        return answer.flatMap { VCard($0) } ?? VCard()
    }

    func nickname(of contact: BareJID) async throws -> String? {
        let answer = try await client.request(.get, to: JID(contact), PubSubPayload.items(of: Namespace.nick))
        return PubSubPayload.items(in: answer, of: Namespace.nick).last?.payload?.text
    }

    /// Publishes a picture; returns what was refused.
    func publish(_ image: AvatarImage) async throws -> [ClientError] {
        let answers = EventRecorder<[ProfileModule.Outcome]>()
        _ = await client.withModule(ProfileModule.self) { module in
            module.publish(Profile(avatar: image)) { answers.record($0) }
        }
        return try await answers.next { _ in true }.compactMap(\.error)
    }

    /// Says that there is no picture any more.
    func withdraw() async throws {
        let none = PubSubItem(id: nil, payload: AvatarMetadata(nil).element)
        try await client.request(
            .set, PubSubPayload.publish(none, at: Namespace.avatarMetadata, options: PublishOptions(.open)))
    }

    func leave() async throws {
        await client.stop()
        try await running.value
    }
}

/// Hears all presences.
private final class PresenceEar: SessionModule {
    private let onPresence: (Presence) -> Void

    init(onPresence: @escaping (Presence) -> Void) { self.onPresence = onPresence }

    var namespaces: [String] { [] }

    func received(presence: Presence) { onPresence(presence) }
}
