import Foundation
import Testing
import XMPPCore
import XMPPModules

/// What accounts say of themselves and see of others, against real servers.
@Suite("Profiles and pictures", .serialized)
struct ProfileTests {
    /// A server, and what it does with the two pictures of an account.
    struct Scene: Sendable, CustomTestStringConvertible {
        var kind: ServerKind
        var host: String
        var converts: Bool { host == Hosts.profiles }
        var testDescription: String { "\(kind.rawValue), \(host)" }

        static let all = ServerKind.allCases.flatMap { kind in
            [Hosts.profiles, Hosts.vCards].map { Scene(kind: kind, host: $0) }
        }
    }

    private func open(
        _ scene: Scene, _ name: String, profile: String?
    ) async throws -> (deployment: Deployment, bot: BareJID, friend: Portrait) {
        let server = try await Servers.shared.server(scene.kind)
        var deployment = try Deployment("\(name)-\(scene.kind)-\(scene.host)", policy: Policies.askAll)
        let bot = try await deployment.addAccount("\(name)-bot", at: scene.host, on: server)
        deployment.accounts[0].profile = profile
        try deployment.write()
        try await server.addUser("\(name)-friend", at: scene.host, password: "pw")
        let friend = try await Portrait.login("\(name)-friend@\(scene.host)", password: "pw", to: server)
        return (deployment, try BareJID(bot), friend)
    }

    private func put(_ image: AvatarImage, in deployment: Deployment) throws -> String {
        try FileManager.default.createDirectory(
            atPath: "\(deployment.folder)/bot", withIntermediateDirectories: true)
        let path = "\(deployment.folder)/bot/face.png"
        try Data(image.bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func published(_ doorward: DoorwardProcess, _ part: String, _ count: Int) async throws {
        try await eventually("\(part) to be published \(count) times") {
            doorward.log.split(separator: "\n").count {
                $0.contains("profile_published") && $0.contains("part=\(part)")
            } == count
        }
        #expect(!doorward.log.contains("profile_refused"), "\(doorward.log)")
    }

    @Test(
        "A profile is published, seen by others, changed by a reload, and left alone where it is the same",
        arguments: Scene.all)
    func profile(_ scene: Scene) async throws {
        let (first, second) = (try Portrait.image(1), try Portrait.image(2))
        let profile = "{ name: Support Desk, nickname: support, avatar: face.png }"
        var (deployment, bot, friend) = try await open(scene, "profile", profile: profile)
        _ = try put(first, in: deployment)
        try await DoorwardProcess.with(deployment) { doorward in
            try await published(doorward, "avatar", 1)
            try await published(doorward, "vcard", 1)
            try await published(doorward, "nickname", 1)
            #expect(try await friend.picture(of: bot) == first.hash)
            let card = try await friend.card(of: bot)
            #expect(card.fullName == "Support Desk" && card.nickname == "support")
            #expect(card.photo?.hash == first.hash)
            #expect(try await friend.nickname(of: bot) == "support")
            // Another picture and another name, in the session that is there.
            _ = try put(second, in: deployment)
            deployment.accounts[0].profile = "{ name: Help Desk, nickname: support, avatar: face.png }"
            try deployment.write()
            try await doorward.ask("reload")
            try await published(doorward, "avatar", 2)
            try await published(doorward, "vcard", 2)
            #expect(try await friend.picture(of: bot) == second.hash)
            #expect(try await friend.card(of: bot).fullName == "Help Desk")
            #expect(doorward.log.split(separator: "\n").count { $0.contains("state=online") } == 1)
            // The next login finds all of it there.
            let again = try await doorward.restarted()
            try await again.ask("reload")
            try await published(again, "avatar", 2)
            try await published(again, "vcard", 2)
            try await published(again, "nickname", 1)
            try await again.terminate()
        }
        try await friend.leave()
    }

    @Test("A contact's picture is fetched, saved, served from the copy, changed and taken away", arguments: Scene.all)
    func contact(_ scene: Scene) async throws {
        let (deployment, bot, friend) = try await open(scene, "avatar", profile: nil)
        let (first, second) = (try Portrait.image(3), try Portrait.image(4))
        #expect(try await friend.publish(first).isEmpty)
        try await DoorwardProcess.with(deployment) { doorward in
            let file = "\(deployment.folder)/out.png"
            let saved = try await doorward.command("avatar", "\(bot)", "\(friend.address)", "-o", file)
            #expect(saved.status == 0, "\(saved)")
            #expect(saved.output.contains("image/png") && saved.output.contains("asked just now"))
            #expect(try Array(Data(contentsOf: URL(fileURLWithPath: file))) == first.bytes)
            #expect(try await friend.publish(second).isEmpty)
            let fresh = try await doorward.ask(
                "avatar", "{\"account\":\"\(bot)\",\"contact\":\"\(friend.address)\",\"fresh\":true}")
            #expect(fresh["hash"].string == second.hash.description && fresh["origin"].string == "server")
            if scene.converts {
                try await friend.withdraw()
                let gone = try await doorward.command("avatar", "\(bot)", "\(friend.address)", "--fresh")
                #expect(gone.status == 1 && gone.errors.contains("has no picture"), "\(gone)")
            }
        }
        try await friend.leave()
    }

    @Test(
        "What is published is for everybody, and the server says so (CVE-2018-6591, CVE-2019-1000021)",
        arguments: ServerKind.allCases)
    func access(_ kind: ServerKind) async throws {
        let scene = Scene(kind: kind, host: Hosts.profiles)
        let profile = "{ name: Desk, nickname: desk, avatar: face.png }"
        let (deployment, bot, friend) = try await open(scene, "access", profile: profile)
        _ = try put(Portrait.image(6), in: deployment)
        let server = try await Servers.shared.server(kind)
        let phone = try await deployment.otherClient(of: "\(bot)", on: server)
        defer { phone.leave() }
        try await DoorwardProcess.with(deployment) { doorward in
            try await published(doorward, "avatar", 1)
            try await published(doorward, "nickname", 1)
            for node in [Namespace.avatarData, Namespace.avatarMetadata, Namespace.nick] {
                let reply = try await phone.request("get", PubSubPayload.configuration(of: node))
                let form = try #require(PubSubPayload.configuration(in: reply.elements.first, of: node))
                #expect(PublishOptions(.open).areMet(by: form), "\(node): \(form)")
                #expect(!PublishOptions(.whitelist).areMet(by: form))
            }
        }
        try await friend.leave()
    }

    @Test("A contact sees a new picture at once: its hash comes in the account's presence", arguments: Scene.all)
    func announced(_ scene: Scene) async throws {
        let (first, second) = (try Portrait.image(8), try Portrait.image(9))
        let server = try await Servers.shared.server(scene.kind)
        var deployment = try Deployment("hash-\(scene.kind)-\(scene.host)", policy: Policies.acceptAll)
        let bot = try BareJID(try await deployment.addAccount("hash-bot", at: scene.host, on: server))
        deployment.accounts[0].profile = "{ name: Desk, avatar: face.png }"
        try deployment.write()
        _ = try put(first, in: deployment)
        try await server.addUser("hash-friend", at: scene.host, password: "pw")
        let friend = try await Portrait.login("hash-friend@\(scene.host)", password: "pw", to: server)
        try await friend.subscribe(to: bot)
        try await DoorwardProcess.with(deployment) { doorward in
            try await friend.hears(.picture(first.hash), of: bot)
            let file = "\(deployment.folder)/second.png"
            try Data(second.bytes).write(to: URL(fileURLWithPath: file))
            let done = try await doorward.command("avatar", "\(bot)", "--set", file)
            #expect(done.status == 0, "\(done)")
            try await friend.hears(.picture(second.hash), of: bot)
            #expect(doorward.log.split(separator: "\n").count { $0.contains("state=online") } == 1)
        }
        try await friend.leave()
    }

    @Test("An operator gives an account a picture, and hears what the server says", arguments: Scene.all)
    func set(_ scene: Scene) async throws {
        let (deployment, bot, friend) = try await open(scene, "set", profile: nil)
        let image = try Portrait.image(5)
        let file = try put(image, in: deployment)
        try await DoorwardProcess.with(deployment) { doorward in
            let done = try await doorward.command("avatar", "\(bot)", "--set", file)
            #expect(done.status == 0, "\(done)")
            #expect(try await friend.picture(of: bot) == image.hash)
            #expect(try await friend.card(of: bot).photo?.hash == image.hash)
            try await eventually("the log to tell of it") { doorward.log.contains("event=avatar_set") }
        }
        try await friend.leave()
    }
}
