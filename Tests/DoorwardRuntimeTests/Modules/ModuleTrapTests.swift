import DoorwardConfig
import DoorwardStore
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// A trap ends the process; what the next one makes of it.
@Suite("A module that traps", .serialized)
struct ModuleTrapTests {
    /// A service in a process of its own, whose module hears something.
    private static func hear(_ body: String, label: String, store path: String) async throws {
        let account = AccountConfiguration.of("bot@example.org").with([.test(.init(label: label))])
        try await inWorld(
            [account], store: Store(path: path),
            before: { server in
                await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
            }
        ) { world in
            try await world.online()
            await world.server.say(body, from: try JID("ally@example.org/phone"), to: .bot)
            try await world.until("it has answered") { world.said().contains("\(label) \(body)") }
        }
    }

    /// What a process makes of the store, whose module hears a harmless word; with a reload behind its start.
    private func state(
        of path: String, label: String = "a", reloading: Bool = false
    ) async throws -> (state: ModuleState?, alerts: [String], answered: Bool) {
        let account = AccountConfiguration.of("bot@example.org").with([.test(.init(label: label))])
        let store = try Store(path: path)
        var result: (ModuleState?, [String], Bool) = (nil, [], false)
        try await inWorld(
            [account], store: store,
            before: { server in
                await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
            }
        ) { world in
            try await world.online()
            if reloading {
                _ = await world.service.reload()
                try await world.until("it runs again") { try await world.module()?.state == .running }
            }
            await world.server.say("harmless", from: try JID("ally@example.org/phone"), to: .bot)
            try await world.quiet()
            try await world.until("it has begun, or is shut off") { try await world.module()?.state != .starting }
            let isRun = try await world.module()?.state == .running
            if isRun { try await world.until("it has answered") { !world.said().isEmpty } }
            if !isRun {
                try await world.until("an alert is there") { try await !world.service.alerts(all: false).isEmpty }
            }
            result = (
                try await world.module()?.state, try await world.service.alerts(all: false).map(\.code),
                !world.said().isEmpty
            )
        }
        await store.close()
        return (result.0, result.1, result.2)
    }

    @Test("ends the process; the second time on the same event it is shut off for that account, with an alert")
    func sameEvent() async throws {
        let folder = try StoreFolder()
        let path = folder.file("s.db")
        await #expect(processExitsWith: .failure) { [path = path as String] in
            try await Self.hear("trap", label: "a", store: path)
        }
        let once = try await state(of: path)
        #expect(once.state == .running)
        #expect(once.answered)
        await #expect(processExitsWith: .failure) { [path = path as String] in
            try await Self.hear("trap", label: "a", store: path)
        }
        let twice = try await state(of: path)
        #expect(twice.state?.word == "disabled")
        #expect(twice.alerts == [AlertCode.moduleDisabled])
        #expect(!twice.answered)
        // The same after another start; other settings are another chance.
        #expect(try await state(of: path).state?.word == "disabled")
        let other = try await state(of: path, label: "b")
        #expect(other.state == .running)
        #expect(other.alerts == [])
        #expect(other.answered)
    }

    @Test("is shut off the third time whatever the event was; a reload gives it one more chance")
    func otherEvents() async throws {
        let folder = try StoreFolder()
        let path = folder.file("s.db")
        for number in 0..<3 {
            #expect(try await state(of: path).state == .running)
            await #expect(processExitsWith: .failure) { [path = path as String, number = number as Int] in
                try await Self.hear("trap \(number)", label: "a", store: path)
            }
        }
        #expect(try await state(of: path).state?.word == "disabled")
        #expect(try await state(of: path, reloading: true).answered)
        await #expect(processExitsWith: .failure) { [path = path as String] in
            try await Self.hear("trap again", label: "a", store: path)
        }
        #expect(try await state(of: path).state?.word == "disabled")
    }
}
