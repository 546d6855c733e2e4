import Foundation
import Testing
import XMPPCore
import XMPPModules

/// Pictures of subscribed contacts, which nobody asks for: what real servers tell of them is enough.
@Suite("Pictures of friends", .serialized)
struct FriendPictureTests {
    /// A friend of a bot: each sees the other.
    private struct Scene {
        let deployment: Deployment
        let bot: String
        let friend: Guest

        init(_ name: String, _ kind: ServerKind, _ host: String) async throws {
            let server = try await Servers.shared.server(kind)
            var deployment = try Deployment("\(name)-\(host)", policy: Policies.askAll)
            bot = try await deployment.addAccount("\(name)-bot", at: host, on: server)
            try deployment.write()
            self.deployment = deployment
            try await server.addUser("\(name)-friend", at: host, password: "pw")
            friend = try await Guest.login(
                "\(name)-friend@\(host)", password: "pw", to: server, acceptsAll: true)
        }

        func befriend(_ doorward: DoorwardProcess) async throws {
            let added = try await doorward.command("contact", "add", bot, friend.address)
            #expect(added.status == 0, "\(added.errors)")
            friend.ask(bot)
            try await eventually("each to see the other") {
                try await doorward.ask("roster", "{\"account\":\"\(bot)\"}").array.first?["subscription"].string
                    == "both"
            }
        }

        /// The service has the picture, and gives it without asking anybody.
        func has(_ image: AvatarImage, from source: String, _ doorward: DoorwardProcess) async throws {
            // Not by a command: that would have the friend asked.
            let file = "avatars/" + image.hash.description
            try await eventually("the picture on the disk") {
                let files = FileManager.default.enumerator(atPath: deployment.folder)?.allObjects ?? []
                return files.contains { ($0 as? String)?.hasSuffix(file) == true }
            }
            // What is known of contacts is written a moment later.
            try await eventually("the copy") {
                let copy = try await doorward.ask(
                    "avatar", "{\"account\":\"\(bot)\",\"contact\":\"\(friend.address)\"}")
                return copy["origin"].string == "cache" && copy["source"].string == source
                    && copy["hash"].string == image.hash.description && copy["bytes"].int == image.bytes.count
            }
        }
    }

    private static let scenes = ServerKind.allCases.flatMap { kind in
        [Hosts.profiles, Hosts.vCards].map { ProfileTests.Scene(kind: kind, host: $0) }
    }

    private func publish(_ image: AvatarImage, by friend: Guest) async throws {
        let data = PubSubItem(id: image.hash.description, payload: AvatarDataPayload.element(image))
        let metadata = PubSubItem(id: image.hash.description, payload: AvatarMetadata(image).element)
        for (item, node) in [(data, Namespace.avatarData), (metadata, Namespace.avatarMetadata)] {
            try await friend.request("set", PubSubPayload.publish(item, at: node, options: PublishOptions(.presence)))
        }
    }

    @Test("What a friend publishes at its node comes by itself, is fetched and kept", arguments: scenes)
    func node(_ scene: ProfileTests.Scene) async throws {
        let friends = try await Scene("node-\(scene.kind)", scene.kind, scene.host)
        defer { friends.friend.leave() }
        try await DoorwardProcess.with(friends.deployment) { doorward in
            try await friends.befriend(doorward)
            let image = try Portrait.image(11)
            try await publish(image, by: friends.friend)
            try await friends.has(image, from: "pep", doorward)
        }
    }

    @Test("What a friend's presence says of its vCard is fetched and kept (XEP-0153)", arguments: ServerKind.allCases)
    func card(_ kind: ServerKind) async throws {
        let friends = try await Scene("card-\(kind)", kind, Hosts.vCards)
        defer { friends.friend.leave() }
        try await DoorwardProcess.with(friends.deployment) { doorward in
            try await friends.befriend(doorward)
            let image = try Portrait.image(13)
            var card = VCard()
            card.photo = VCardPhoto(image)
            try await friends.friend.request("set", card.element)
            let photo = Element("photo", namespace: "vcard-temp:x:update", children: [.text(image.hash.description)])
            let update = Element("x", namespace: "vcard-temp:x:update", children: [.element(photo)])
            friends.friend.send(Element("presence", namespace: Namespace.client, children: [.element(update)]))
            try await friends.has(image, from: "vcard", doorward)
        }
    }
}
