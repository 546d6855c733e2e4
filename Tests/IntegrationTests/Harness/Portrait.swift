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
    private let running: Task<Void, any Error>

    private init(_ client: Client, _ running: Task<Void, any Error>) {
        (self.client, self.running) = (client, running)
        address = client.account
    }

    static func login(_ address: String, password: String, to server: any RealServer) async throws -> Portrait {
        var options = Client.Options()
        options.server = .init(host: "127.0.0.1", port: server.port, usesDirectTLS: false)
        options.authorities = server.caFile
        let account = try BareJID(address)
        options.modules = {
            [
                AvatarModule(account: account, cache: MemoryAvatarCache(), isContact: { _ in true }),
                ProfileModule(account: account, profile: Profile()),
            ]
        }
        let client = try Client(account: account, password: password, options: options)
        let running = Task { try await client.run() }
        try await client.online()
        return Portrait(client, running)
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
