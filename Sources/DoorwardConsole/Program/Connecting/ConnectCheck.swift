import DoorwardConfig
import DoorwardRuntime
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTransport

/// `doorward check --connect ACCOUNT`: one login with the files as they are, step by step.
///
/// It touches nothing of a running service: its resource and its user-agent id are its own, it sends no presence, and it
/// opens no store.
struct ConnectCheck {
    private let account: AccountConfiguration
    private let output: Output
    private let isJSON: Bool
    var connector: any Connector = SocketConnector()
    var readSecret: @Sendable (SecretSource) throws -> [UInt8] = { try SecretReader.read($0) }

    /// Finds the account that was named.
    ///
    /// - Returns: Nil where there is none; the output was told.
    init?(_ address: String, of configuration: Configuration, output: Output, isJSON: Bool) {
        let jid = try? BareJID(address)
        guard let account = configuration.accounts.first(where: { $0.jid == jid }) else {
            let none = "no bot of this configuration has this account"
            if isJSON { output.json(ConnectReport().json(account: address, error: none)) }
            let names = configuration.accounts.map(\.jid.description)
            let hint =
                suggestion(for: address, among: names).map { "did you mean '\($0)'?" }
                ?? "it has \(names.prefix(5).joined(separator: ", "))"
            output.error("no bot of this configuration has the account \(address); \(hint)")
            return nil
        }
        self.account = account
        self.output = output
        self.isJSON = isJSON
    }

    func run() async -> CommandStatus {
        let watcher = Watcher(output: isJSON ? nil : output)
        let end: SessionEnd
        do throws(SessionEnd) {
            end = try await login(watcher)
        } catch {
            end = error
        }
        let report = watcher.report.withLock { $0 }
        let remedy = report.isDone ? nil : report.remedy(for: end)
        let error = report.isDone ? nil : end.description + (remedy.map { ": \($0)" } ?? "")
        if isJSON {
            output.json(report.json(account: account.jid.description, error: error))
        } else {
            output.lines(report.advice.map { TerminalText("advice: ").styled(.warning) + TerminalText($0) })
            if report.isDone { output.line("\(account.jid.description) can log in") }
        }
        guard let error else { return .done }
        output.error("\(account.jid.description) cannot log in: \(error)")
        return .refused
    }

    private func login(_ watcher: Watcher) async throws(SessionEnd) -> SessionEnd {
        var settings = try await ClientSettings(
            account, resource: "doorward-check-" + hexadecimal(randomBytes(8)), trust: TLSContextCache(),
            readSecret: readSecret)
        settings.userAgent = UserAgent(id: UserAgent.randomID(), software: "Doorward check")
        settings.endsAfterBinding = true
        // Whether this account may still send it only the service knows, by what it remembers of earlier logins.
        settings.allowsPlain = false
        settings.observer = watcher
        if let end = settings.identity?.validUntil {
            let days = (end - wallClock().milliseconds / 1000) / 86_400
            watcher.report.withLock { $0.certificateDays = days }
        }
        let loop: EventLoop
        do {
            loop = try EventLoop(name: "check")
        } catch {
            throw SessionEnd(.unusable("\(error)"))
        }
        loop.start()
        defer { loop.stop() }
        return await ClientConnection(settings: settings, connector: connector, loop: loop) { _ in }.run()
    }

    /// Prints each step as it happens.
    private final class Watcher: ConnectionObserver {
        let report = Locked(ConnectReport())
        private let output: Output?

        init(output: Output?) {
            self.output = output
        }

        func observed(_ event: ConnectionObservation, of account: BareJID) {
            let steps = report.withLock { $0.observed(event) }
            output?.lines(steps.map { TerminalText($0.text) })
        }
    }
}
