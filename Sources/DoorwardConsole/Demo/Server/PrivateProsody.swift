import Glibc
package import XMPPCore
import XMPPCrypto

/// A Prosody of our own on 127.0.0.1, with all its files below one folder.
///
/// The demo and the benchmarks use it. It hosts several domains, which talk to each other inside it; it reaches
/// nobody else.
package final class PrivateProsody: Sendable {
    /// How long Prosody may take until it accepts connections.
    private static let patience = Duration.seconds(20)

    package let port: UInt16
    /// The only authority that signed its certificates, as PEM.
    package let caFile: String
    package var pid: Int32 { child.pid }
    /// Prosody's own log.
    package let logFile: String

    private let child: ChildProcess
    private let pidFile: PidFile
    private let dataFolder: String

    private init(
        port: UInt16,
        caFile: String,
        logFile: String,
        child: ChildProcess,
        pidFile: PidFile,
        dataFolder: String
    ) {
        self.port = port
        self.caFile = caFile
        self.logFile = logFile
        self.child = child
        self.pidFile = pidFile
        self.dataFolder = dataFolder
    }

    /// Writes everything below a folder and starts Prosody; blocks until it accepts connections.
    ///
    /// What an earlier start left in the folder goes, its accounts and rosters too; an earlier Prosody that still runs
    /// there is ended.
    ///
    /// - Parameters:
    ///   - directory: An absolute path; made where it is missing, with mode 0700.
    ///   - hosts: The domains it serves.
    ///   - wanted: The port; nil for the next free one from 15222 on.
    ///   - users: Accounts that exist from the start.
    /// - Returns: The running server.
    /// - Throws: Where a program is missing, the port is taken, or Prosody does not start; nothing runs then.
    package static func start(
        directory: String,
        hosts: [String],
        port wanted: UInt16? = nil,
        users: [(jid: BareJID, password: String)] = []
    ) throws(DemoError) -> PrivateProsody {
        let prosody = try ProgramFinder.find("prosody", package: "prosody")
        var domains: [BareJID] = []
        for host in hosts { domains.append(try Self.domain(host)) }
        try Files.makeFolder(directory, mode: 0o700)
        let configurationFile = "\(directory)/prosody.cfg.lua"
        let logFile = "\(directory)/prosody.log"
        let pidFile = PidFile(path: "\(directory)/prosody.pid", mark: configurationFile)
        pidFile.endStale()
        for old in ["data", "certs"] { Files.remove("\(directory)/\(old)") }

        let certificates = DemoCertificates(folder: "\(directory)/certs")
        try certificates.make(for: domains.map(\.asciiDomain))
        let dataFolder = "\(directory)/data"
        try Files.makeFolder(dataFolder, mode: 0o700)
        for user in users { try Self.write(user.jid, password: user.password, in: dataFolder) }

        let launch: (UInt16) throws(DemoError) -> PrivateProsody = { (port) throws(DemoError) in
            let configuration = ProsodyConfiguration(
                port: port,
                folder: directory,
                hosts: domains.enumerated().map { number, domain in
                    .init(
                        domain: domain.domain,
                        certificate: certificates.certificate(of: number),
                        key: certificates.key(of: number)
                    )
                },
                runsAsRoot: geteuid() == 0
            )
            try Files.write(configuration.text, to: configurationFile, mode: 0o600)
            Files.remove(logFile)
            let child = try ChildProcess(
                prosody,
                ["-F", "--config", configurationFile],
                output: "\(directory)/prosody.out"
            )
            let server = PrivateProsody(
                port: port,
                caFile: certificates.authority,
                logFile: logFile,
                child: child,
                pidFile: pidFile,
                dataFolder: dataFolder
            )
            do throws(DemoError) {
                try pidFile.write(child.pid)
                try server.awaitStart(outputFile: "\(directory)/prosody.out")
            } catch {
                server.stop()
                throw error
            }
            return server
        }
        return try onFreePort(wanted, launch)
    }

    /// Launches on the port asked for, or on the first free one.
    ///
    /// Another program, or another start like this one, may take a port between the look and Prosody's own bind; then
    /// the next one is tried.
    private static func onFreePort(
        _ wanted: UInt16?,
        _ launch: (UInt16) throws(DemoError) -> PrivateProsody
    ) throws(DemoError) -> PrivateProsody {
        if let wanted {
            guard LoopbackPort.isFree(wanted) else {
                throw DemoError(.portTaken, "port \(wanted) of 127.0.0.1 is taken; stop what listens there")
            }
            return try launch(wanted)
        }
        var port = try LoopbackPort.free()
        while true {
            do throws(DemoError) {
                return try launch(port)
            } catch {
                guard error.code == .portTaken else { throw error }
                port = try LoopbackPort.free(after: port)
            }
        }
    }

    /// Stops it and waits until it is gone, after 5 s by force.
    ///
    /// Harmless when it has ended.
    package func stop() {
        child.stop(patience: .seconds(5))
        pidFile.remove()
    }

    /// Ends it at once, by force.
    package func kill() {
        child.kill()
        pidFile.remove()
    }

    /// Ends whatever Prosody still runs for a folder, at once; for the last moments of a process.
    package static func killLeftover(in directory: String) {
        PidFile(path: "\(directory)/prosody.pid", mark: "\(directory)/prosody.cfg.lua").endStale(patience: .zero)
    }

    /// Whether it has ended, by our doing or by itself.
    package var hasEnded: Bool { child.report() != nil }

    /// Adds an account, or gives it another password; works while Prosody runs.
    package func addUser(_ jid: BareJID, password: String) throws(DemoError) {
        try Self.write(jid, password: password, in: dataFolder)
    }

    /// Waits until Prosody accepts connections.
    ///
    /// A listening port is not enough: another program could have taken it in between. Prosody says in its log whether
    /// the port is its own.
    private func awaitStart(outputFile: String) throws(DemoError) {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            let log = Files.tail(logFile)
            if log.contains("Failed to open server port") {
                throw DemoError(.portTaken, "Prosody could not listen on port \(port); \(logFile) says why")
            }
            if child.report() != nil {
                throw DemoError(.serverFailed, "Prosody ended at its start; \(outputFile) and \(logFile) say why")
            }
            if log.contains("Activated service 'c2s'"), LoopbackPort.accepts(port) { return }
            usleep(20_000)
        }
        throw DemoError(.serverFailed, "Prosody accepted no connection within 20 s; \(logFile) may say why")
    }

    private static func write(_ jid: BareJID, password: String, in dataFolder: String) throws(DemoError) {
        let file = try ProsodyAccountFile(
            jid,
            password: password,
            dataFolder: dataFolder,
            salt: hexadecimal(randomBytes(12))
        )
        let host = "\(dataFolder)/\(ProsodyAccountFile.encoded(jid.domain))"
        try Files.makeFolder(host, mode: 0o700)
        try Files.makeFolder("\(host)/accounts", mode: 0o700)
        try Files.write(file.text, to: file.path, mode: 0o600)
    }

    private static func domain(_ text: String) throws(DemoError) -> BareJID {
        guard let jid = try? BareJID(text), jid.local == nil,
            jid.asciiDomain.utf8.allSatisfy({ $0 != UInt8(ascii: ",") && $0 > 0x20 && $0 < 0x7F })
        else { throw DemoError(.badAddress, "\(text) is no domain that a server could have") }
        return jid
    }
}
