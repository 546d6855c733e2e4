import DoorwardConfig
import XMPPClient
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// A module that does what the words say that it hears: `stop` loops until its gate opens, `trap` ends the process, all else is
/// answered by `NAME BODY`.
struct TestModule: XMPPModule {
    struct Settings: Decodable, Sendable {
        var label = "heard"
        var gate: StopGate?
        var isBroken = false

        init(label: String = "heard", gate: StopGate? = nil, isBroken: Bool = false) {
            (self.label, self.gate, self.isBroken) = (label, gate, isBroken)
        }

        init(from decoder: any Decoder) throws {}
    }

    struct Broken: Error, CustomStringConvertible { let description = "no forecast without a key" }

    static let name = "test"
    static let interests: ModuleInterests = [.messages, .decisions, .contacts]

    let settings: Settings

    init(settings: Settings) throws {
        guard !settings.isBroken else { throw Broken() }
        self.settings = settings
    }

    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        switch event {
        case .decision(let decision):
            try await context.send(Message(to: JID(decision.contact), body: "welcome"))
        case .message(let message, _):
            let body = message.body ?? ""
            if body == "stop" { settings.gate?.stop() }
            if body.hasPrefix("trap") { trap() }
            try await context.storage.set(body, for: "last")
            try await context.reply(to: message, with: "\(settings.label) \(body)")
        case .contact(let contact):
            try await context.storage.set("\(contact.subscription)", for: "contact \(contact.jid)")
        case .contactRemoved(let contact):
            try await context.storage.remove("contact \(contact)")
        default: break
        }
    }

    private func trap() {
        let none: [Int] = []
        _ = none[none.count]
    }
}

/// The same, and it announces something.
struct AnnouncingModule: XMPPModule {
    static let name = "announcing"
    static let interests: ModuleInterests = []
    static let namespaces = ["urn:example:announced"]

    init(settings: NoSettings) {}
    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {}
}

/// Keeps a thread until it is opened.
final class StopGate: Sendable {
    private let isOpen = Locked(false)
    private let arrivals = EventRecorder<Bool>()

    func stop() {
        arrivals.record(true)
        // It takes all of a core.
        while !isOpen.withLock({ $0 }) {}
    }

    func reached() async throws { _ = try await arrivals.next { _ in true } }
    func open() { isOpen.withLock { $0 = true } }
}

extension ModuleConfiguration {
    static func test(_ settings: TestModule.Settings = .init()) -> ModuleConfiguration {
        ModuleConfiguration(
            name: TestModule.name, settings: PreparedModule(TestModule.self, settings: settings),
            digest: "\(settings.label) \(settings.isBroken)")
    }

    static let announcing = ModuleConfiguration(
        name: AnnouncingModule.name, settings: PreparedModule(AnnouncingModule.self, settings: NoSettings()), digest: ""
    )
}

extension AccountConfiguration {
    func with(_ modules: [ModuleConfiguration]) -> AccountConfiguration {
        var account = self
        account.modules = modules
        return account
    }
}

extension World {
    /// What an account has said to somebody.
    func said(_ jid: BareJID = .bot) -> [String] {
        server.received.all.filter { $0.account == jid && $0.element.name == "message" }
            .compactMap { $0.element.first("body", Namespace.client)?.text }
    }

    func module(_ jid: BareJID = .bot) async throws -> ModuleStatus? {
        try await service.status().accounts.first { $0.jid == jid }?.modules.first
    }
}
