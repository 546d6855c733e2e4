import Testing
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// Modules that act by themselves.
@Suite struct ClientModuleTests {
    /// Asks as soon as there is a session.
    private final class Asking: SessionModule {
        var namespaces: [String] { [] }
        var session: ModuleSession?
        var log: [String] = []
        let told: EventRecorder<String>

        init(_ told: EventRecorder<String>) { self.told = told }

        func began(_ session: ModuleSession) {
            self.session = session
            note("began \(session.isResumed) \(session.address.bare)")
            for name in ["known", "unknown"] {
                let payload =
                    name == "known"
                    ? Element("query", namespace: Namespace.roster) : Element("q", namespace: "urn:example:unknown")
                session.request(.get, payload) { self.note("\(name) \(Self.words($0))") }
            }
        }

        func askInVain(_ timeout: Duration) {
            session?.request(.get, Element("q", namespace: "urn:example:silent"), timeout: timeout) {
                self.note("silent \(Self.words($0))")
            }
        }

        private static func words(_ answer: Result<Element?, ClientError>) -> String {
            switch answer {
            case .success(let payload): payload?.name ?? "nothing"
            case .failure(let error): error.condition ?? error.code.name
            }
        }

        private func note(_ line: String) {
            log.append(line)
            told.record(line)
        }
    }

    @Test("a module is told of each session, before presence is sent, and asks in it")
    func asks() async throws {
        let told = EventRecorder<String>()
        let world = try await LivingClient(options: { $0.modules = { [Asking(told)] } })
        try await world.available()
        let received = world.server.received.all.map { $0.element.name }
        #expect(received.firstIndex(of: "iq") ?? .max < received.firstIndex(of: "presence") ?? .min)
        await world.server.dropLink(of: .bot)
        try await world.resumed()
        let session = ["began false bot@example.org", "known query", "unknown service-unavailable"]
        let next = ["began true bot@example.org", "known query", "unknown service-unavailable"]
        #expect(await world.client.withModule(Asking.self) { $0.log } == session + next)
        try await world.finish()
    }

    @Test("a request of a module ends with its time and with the connection, and none is sent behind it")
    func inVain() async throws {
        let (told, time) = (EventRecorder<String>(), ManualTime())
        let world = try await LivingClient(
            time: time,
            options: {
                $0.modules = { [Asking(told)] }
                $0.backoff = Backoff(base: .seconds(1000), cap: .seconds(1000))
            })
        try await world.available()
        await world.server.react { $0.isIQ("get", "q", "urn:example:silent") ? .nothing : .usual }
        await world.client.withModule(Asking.self) { $0.askInVain(.seconds(5)) }
        time.advance(by: .seconds(5))
        _ = try await told.next { $0 == "silent no_reply" }
        await world.client.withModule(Asking.self) { $0.askInVain(.seconds(Int64.max)) }
        try await world.server.barrier(.bot)
        await world.server.dropLink(of: .bot)
        _ = try await told.next { $0 == "silent no_reply" }
        await world.client.withModule(Asking.self) { $0.askInVain(.seconds(-1)) }
        _ = try await told.next { $0 == "silent offline" }
        let error = await clientError {
            try await world.client.withModule(Asking.self) { try $0.session?.send([Presence(.available).element]) }
        }
        #expect(error?.code == .offline)
        try await world.finish()
        #expect(world.server.received.all.count { $0.isIQ("get", "q", "urn:example:silent") } == 2)
    }

    @Test("a request over the bound of those that wait is told so, and is not sent")
    func busy() async throws {
        let world = try await LivingClient(time: ManualTime())
        try await world.available()
        await world.server.react { $0.isIQ("get", "q", "urn:example:silent") ? .nothing : .usual }
        let client = world.client
        let codes = await withTaskGroup(of: ClientError.Code?.self) { group in
            for _ in 0..<1030 {
                group.addTask {
                    await clientError {
                        try await client.request(.get, Element("q", namespace: "urn:example:silent"))
                    }?.code
                }
            }
            var codes: [ClientError.Code?] = []
            for await code in group {
                codes.append(code)
                // The others wait for ever.
                if codes.count == 6 { group.cancelAll() }
            }
            return codes
        }
        #expect(codes.prefix(6).allSatisfy { $0 == .busy })
        #expect(codes.dropFirst(6).allSatisfy { $0 == .cancelled })
        #expect(await client.connection?.requests?.isEmpty == true)
        try await world.server.barrier(.bot)
        #expect(world.server.received.all.count { $0.isIQ("get", "q", "urn:example:silent") } == 1024)
        try await world.finish()
    }
}
