import DoorwardConfig
import DoorwardRuntime
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTransport

/// `doorward check --connect ACCOUNT`: one login with the files as they are, step by step.
///
/// It touches nothing of a running service: its resource and its user-agent id are its own, it sends no presence, and of
/// the store it reads only what the account's logins have shown. By that it judges what the server offers as the service
/// does: a login that the service would not make, this must not make either, since it may hand something to whoever stands
/// in between.
struct ConnectCheck {
    private let account: AccountConfiguration
    private let storePath: String
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
        storePath = configuration.storePath
        self.output = output
        self.isJSON = isJSON
    }

    func run() async -> ProgramStatus {
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
        var settings = try await ClientSettings(account, trust: TLSContextCache(), readSecret: readSecret)
        settings.resource = "doorward-check-" + hexadecimal(randomBytes(8))
        settings.userAgent = UserAgent(id: UserAgent.randomID(), software: "Doorward check")
        settings.endsAfterBinding = true
        settings.memory = try await memory()
        // Not for a check, whatever the account allows.
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

    /// What the service remembers of the account's logins.
    private func memory() async throws(SessionEnd) -> LoginMemory {
        let (jid, path) = (account.jid, storePath)
        do {
            let seen = try await BlockingPool.run { try StoreGlance.login(of: jid, inStoreAt: path) }
            return LoginMemory(
                usedStrongMechanism: seen?.isStrong == true, usedAnnouncedBinding: seen?.isBound == true)
        } catch {
            throw SessionEnd(
                .unusable(
                    "what the service remembers of this account's logins cannot be read, so it is not known what a login "
                        + "may do without: \(error); run the check as the user of the service"))
        }
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
