import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

@testable import DoorwardConsole

@Suite("A guest on the private Prosody", .serialized)
struct GuestTests {
    @Test("asks across two hosts, is answered, and both see it in their rosters")
    func askAndAnswer() async throws {
        let folder = NSTemporaryDirectory() + "doorward-guest-" + UUID().uuidString
        defer { Files.remove(folder) }
        let zoe = try BareJID("zoe@friends.test")
        let support = try BareJID("support@doorward.test")
        let server = try PrivateProsody.start(
            directory: folder, hosts: ["friends.test", "doorward.test"], users: [(zoe, "one"), (support, "two")])
        defer { server.stop() }
        let loop = try EventLoop(name: "guests")
        loop.start()
        defer { loop.stop() }
        let guest = Guest(
            zoe, password: "one", port: server.port, caFile: server.caFile, loop: loop, acceptsAskingBack: true)
        let bot = Guest(support, password: "two", port: server.port, caFile: server.caFile, loop: loop)
        try await guest.logIn()
        try await bot.logIn(resource: "bot")

        await guest.ask(support, message: "Hi", nickname: "Zoe")
        #expect(await bot.happens(within: .seconds(10)) { $0 == .received(.subscribe, from: zoe) })
        await bot.say(.subscribed, to: zoe)
        await bot.say(.subscribe, to: zoe)
        #expect(await guest.happens(within: .seconds(10)) { $0 == .received(.subscribed, from: support) })
        #expect(await guest.happens(within: .seconds(10)) { $0 == .sent(.subscribed, to: support) })
        #expect(await bot.happens(within: .seconds(10)) { $0 == .received(.subscribed, from: zoe) })
        let isBoth: @Sendable (GuestEvent) -> Bool = {
            if case .rosterChanged(.set(let item)) = $0 { item.subscription == .both } else { false }
        }
        #expect(await bot.happens(within: .seconds(10), isBoth))
        #expect(await bot.contacts[zoe]?.subscription == .both)

        await bot.say(.unsubscribed, to: zoe)
        #expect(await guest.happens(within: .seconds(10)) { $0 == .received(.unsubscribed, from: support) })
        await guest.logOut()
        await bot.logOut()
        #expect(await guest.events.last == .ended("stopped"))
    }

    @Test("an account added while Prosody runs can log in; a wrong password is said, not tried again")
    func addedAccount() async throws {
        let folder = NSTemporaryDirectory() + "doorward-guest-" + UUID().uuidString
        defer { Files.remove(folder) }
        let server = try PrivateProsody.start(directory: folder, hosts: ["friends.test"])
        defer { server.stop() }
        let loop = try EventLoop(name: "guests")
        loop.start()
        defer { loop.stop() }
        let ann = try BareJID("ann.b@friends.test")
        try server.addUser(ann, password: "pâss wörd")
        let right = Guest(ann, password: "pâss wörd", port: server.port, caFile: server.caFile, loop: loop)
        try await right.logIn()
        await right.logOut()
        let wrong = Guest(ann, password: "other", port: server.port, caFile: server.caFile, loop: loop)
        let error = await #expect(throws: DemoError.self) { try await wrong.logIn() }
        #expect(error?.code == .guestFailed)
        await wrong.logOut()
    }
}
