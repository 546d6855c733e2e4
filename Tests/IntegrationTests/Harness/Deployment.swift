import Foundation

/// The files of one Doorward: configuration, one bot, policies and secrets, in a folder of their own.
struct Deployment: Sendable {
    struct Account: Sendable {
        var jid: String
        var password: String
        var port: UInt16
        var caFile: String
        var policy = "test"
        var mode = "enforce"
        /// As `bot.yaml` has it.
        var profile: String?
        /// As `bot.yaml` has them.
        var modules: String?
    }

    let folder: String
    var accounts: [Account] = []
    /// The text of each policy under its name, without the head.
    var policies: [String: String]
    var redeliveryWait = "2s"
    var stop = "close"
    private static let password = "correct horse"

    init(_ name: String, policy: String) throws {
        folder = try RunFolder.shared.folder(name)
        policies = ["test": policy]
    }

    var configurationFile: String { "\(folder)/doorward.yaml" }
    var controlPath: String { "\(folder)/run/d.sock" }
    var policyFile: String { "\(folder)/policies/test.yaml" }

    func secretFile(of jid: String) -> String { "\(folder)/bot/secrets/\(jid)" }

    /// Creates an account on the server and adds it to the files.
    mutating func addAccount(_ user: String, at host: String = Hosts.bots, on server: any RealServer) async throws
        -> String
    {
        try await server.addUser(user, at: host, password: Self.password)
        let jid = "\(user)@\(host)"
        accounts.append(Account(jid: jid, password: Self.password, port: server.port, caFile: server.caFile))
        return jid
    }

    /// Logs in as one of the accounts: a second client beside Doorward.
    func otherClient(of jid: String, on server: any RealServer) async throws -> Guest {
        try await Guest.login(jid, password: Self.password, to: server, resource: "phone")
    }

    /// Writes all files; again after a change.
    func write() throws {
        let files = FileManager.default
        for name in ["policies", "bot/secrets", "run", "var"] {
            try files.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try files.setAttributes([.posixPermissions: 0o750], ofItemAtPath: "\(folder)/run")
        try put(
            """
            version: 1
            store: sqlite:var/doorward.db
            control: run/d.sock
            redelivery_wait: \(redeliveryWait)
            stop: \(stop)
            policies: [policies/*.yaml]
            bots: [bot/bot.yaml]

            """, at: configurationFile)
        for (name, text) in policies {
            try put("version: 1\npolicy: \(name)\n\(text)\n", at: "\(folder)/policies/\(name).yaml")
        }
        var bot = "bot: tested\npolicy: test\naccounts:\n"
        for account in accounts {
            bot += """
                  - jid: \(account.jid)
                    password: { file: secrets/\(account.jid) }
                    policy: \(account.policy)
                    mode: \(account.mode)
                    resource: doorward
                    connect: { host: 127.0.0.1, port: \(account.port), ca_file: \(account.caFile) }

                """
            if let profile = account.profile { bot += "    profile: \(profile)\n" }
            if let modules = account.modules { bot += "    modules: \(modules)\n" }
            try writeSecret(account.password, of: account.jid)
        }
        try put(bot, at: "\(folder)/bot/bot.yaml")
    }

    func writeSecret(_ password: String, of jid: String) throws {
        try put(password + "\n", at: secretFile(of: jid))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secretFile(of: jid))
    }

    func put(_ text: String, at path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
