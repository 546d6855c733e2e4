import FoundationEssentials
import Glibc
import XMPPCore

/// The folder of one run: configuration, policy, secrets, database, logs.
struct DeskFiles: Sendable {
    let folder: String

    var configuration: String { "\(folder)/doorward.yaml" }
    var control: String { "\(folder)/run/d.sock" }
    var database: String { "\(folder)/doorward.db" }
    var serviceLog: String { "\(folder)/service.log" }
    var prosody: String { "\(folder)/prosody" }

    /// Makes the folder, below the system's for temporary files: a path in it must fit a Unix socket's address.
    init() throws(BenchError) {
        var template = Array("/tmp/doorward-bench-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw BenchError("cannot make a folder below /tmp: \(String(cString: strerror(errno)))")
        }
        folder = String(cString: path)
    }

    /// - Parameters:
    ///   - accounts: All of them.
    ///   - password: Of each.
    ///   - port: Of the server on this machine.
    ///   - caFile: The authority of its certificate.
    ///   - policy: In place of that of `desk`.
    ///   - modules: As `bot.yaml` has them, for an account; accounts with the same ones stand in one file.
    /// - Throws: Where a file cannot be written.
    func write(
        accounts: [BareJID], password: String, port: UInt16, caFile: String, policy: String = Fate.policy,
        modules: (BareJID) -> String? = { _ in nil }
    ) throws(BenchError) {
        var bots: [String] = []
        var written = 0
        var last: String?
        for account in accounts {
            let modules = modules(account)
            // A file may have so many values only.
            if bots.isEmpty || written == 1000 || modules != last {
                bots.append("bot: bench-\(bots.count)\npolicy: bench\n")
                if let modules { bots[bots.count - 1] += "modules: \(modules)\n" }
                bots[bots.count - 1] += "accounts:\n"
                (written, last) = (0, modules)
            }
            written += 1
            bots[bots.count - 1] += """
                  - jid: \(account)
                    password: { file: secret }
                    connect: { host: 127.0.0.1, port: \(port), tls: starttls, ca_file: \(caFile) }

                """
        }
        let main = """
            version: 1
            store: sqlite:doorward.db
            control: run/d.sock
            policies: [policy.yaml]
            bots: [bot-*.yaml]

            """
        do {
            let manager = FileManager.default
            try manager.createDirectory(atPath: "\(folder)/run", withIntermediateDirectories: true)
            try manager.setAttributes([.posixPermissions: 0o750], ofItemAtPath: "\(folder)/run")
            for (name, text) in [
                ("doorward.yaml", main), ("policy.yaml", policy), ("secret", password + "\n"),
            ] + bots.enumerated().map({ ("bot-\($0.offset).yaml", $0.element) }) {
                try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            }
            try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/secret")
        } catch {
            throw BenchError("cannot write below \(folder): \(error)")
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}
