import FoundationEssentials
import Glibc
import XMPPCore

/// The folder of one run: configuration, policy, secrets, database, logs.
struct DeskFiles: Sendable {
    let folder: String

    var configuration: String { "\(folder)/doorward.yaml" }
    var control: String { "\(folder)/run/d.sock" }
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

    func write(
        accounts: [BareJID], password: String, port: UInt16, caFile: String, policy: String = Fate.policy
    ) throws(BenchError) {
        var bots: [String] = []
        for (number, account) in accounts.enumerated() {
            // A file may have so many values only.
            if number % 1000 == 0 { bots.append("bot: bench-\(bots.count)\npolicy: bench\naccounts:\n") }
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
