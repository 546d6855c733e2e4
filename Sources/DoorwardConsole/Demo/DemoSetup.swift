import DoorwardConfig
import DoorwardRuntime
import Glibc
import XMPPCore
import XMPPCrypto
import XMPPTransport

/// All that must stand before the story begins: the private server with its accounts, and the overlaid configuration.
struct DemoSetup: Sendable {
    let folder: DemoFolder
    let server: PrivateProsody
    let hosts: [String]
    let configuration: Configuration
    /// Where a service without the overlay would listen.
    let ownControlPath: String
    /// Accounts of the configuration that the demo leaves alone, since their hosts are real.
    let skipped: [BareJID]
    let guests: [DemoGuest]
    let guestPasswords: [BareJID: String]
    /// Reads the files again, for a reload.
    let load: @Sendable () -> LoadResult

    /// Makes all of it; blocks.
    ///
    /// What it starts is ended where a later part fails.
    ///
    /// - Parameters:
    ///   - file: The configuration.
    ///   - folder: Where to write.
    /// - Returns: The parts.
    /// - Throws: `DemoError`, with what to do.
    static func make(_ file: ConfigurationFile, in folder: DemoFolder) throws(DemoError) -> DemoSetup {
        let plain = try configuration(file.load(overlay: nil), file.path)
        let accounts = plain.accounts.filter { isHosted($0.jid) }
        guard !accounts.isEmpty else {
            throw DemoError(
                .nothingToRun,
                "\(file.path) has no account below .test, and the demo runs no others; 'make run CONFIG=\(file.path)' runs "
                    + "yours")
        }
        let guests = DemoGuest.five(for: accounts.filter { $0.bot == accounts.first?.bot }.map { ($0.jid, $0.policy) })
        var hosts = DemoGuest.hosts
        for account in accounts.reversed() where !hosts.contains(account.jid.domain) {
            hosts.insert(account.jid.domain, at: 0)
        }
        var users: [(jid: BareJID, password: String)] = []
        for jid in accounts.map(\.jid) + guests.map(\.jid) {
            let password = hexadecimal(randomBytes(16))
            try folder.writePassword(password, of: jid)
            users.append((jid, password))
        }
        let server = try PrivateProsody.start(directory: folder.server, hosts: hosts, users: users)
        do {
            let overlay = DemoOverlay(
                port: server.port, accounts: accounts.map { ($0.jid, folder.passwordFile(of: $0.jid)) })
            try Files.write(overlay.text, to: folder.overlay, mode: 0o600)
            let load: @Sendable () -> LoadResult = {
                onlyHosted(file.load(overlay: folder.overlay))
            }
            return DemoSetup(
                folder: folder, server: server, hosts: hosts, configuration: try configuration(load(), file.path),
                ownControlPath: plain.controlPath,
                skipped: plain.accounts.map(\.jid).filter { !isHosted($0) }, guests: guests,
                guestPasswords: Dictionary(users.map { ($0.jid, $0.password) }, uniquingKeysWith: { $1 }), load: load)
        } catch {
            server.stop()
            throw error
        }
    }

    /// Whether the private server may serve an account's host: `.test` belongs to nobody (RFC 6761 section 6.2), so no
    /// demo ever logs in to somebody's real server.
    static func isHosted(_ jid: BareJID) -> Bool { jid.domain.utf8.suffix(5).elementsEqual(".test".utf8) }

    private static func onlyHosted(_ result: LoadResult) -> LoadResult {
        var result = result
        result.configuration?.accounts.removeAll { !isHosted($0.jid) }
        return result
    }

    private static func configuration(_ result: LoadResult, _ file: String) throws(DemoError) -> Configuration {
        guard let configuration = result.configuration, result.errors.isEmpty else {
            let first = result.errors.first.map { ": \($0.path):\($0.line):\($0.column): \($0.message)" } ?? ""
            throw DemoError(.nothingToRun, "\(file) has errors\(first); 'doorward check' shows them all")
        }
        return configuration
    }
}
