import Foundation
import Testing

/// An account that has a certificate and no password, at a Prosody that asks for one at one host and not at the others.
@Suite("check --connect by a certificate alone", .serialized)
struct CertificateWordsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var host: String
        /// Whose certificate it is; nil: the account's.
        var owner: String?
        var requiresBinding = false
        /// What is printed; nil: it can log in.
        var says: String?
    }

    private static let rows = [
        Row(testDescription: "the account's", host: Hosts.certificates),
        Row(
            testDescription: "not asked for", host: Hosts.bots,
            says: "the server did not ask for a certificate within TLS: let the server ask clients"),
        Row(
            testDescription: "somebody else's", host: Hosts.certificates, owner: "somebody@elsewhere.test",
            says: ": check that the certificate is for this address"),
        Row(
            testDescription: "not bound", host: Hosts.certificates, requiresBinding: true,
            says: "and the account requires that: give the account a password too"),
    ]

    @Test("says what is missing, and never speaks of a password that is not there", arguments: rows)
    func words(row: Row) async throws {
        let server = try await Servers.shared.server(.prosody)
        var deployment = try Deployment("certificate-words", policy: Policies.askAll)
        let bot = try await deployment.addAccount("certificate-words-bot", at: row.host, on: server)
        try deployment.write()
        let name = "certificate-words"
        try await Certificates.certificate(name, ofAccount: row.owner ?? bot, in: server.folder)
        let key = "\(server.folder)/\(name).key"
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let file = "\(deployment.folder)/bot/bot.yaml"
        let login =
            "login: { certificate: { file: \(server.folder)/\(name).crt, key: \(key) }"
            + (row.requiresBinding ? ", channel_binding: required }" : " }")
        let text = try String(contentsOfFile: file, encoding: .utf8)
            .replacingOccurrences(of: "password: { file: secrets/\(bot) }", with: login)
        try deployment.put(text, at: file)
        let output = try await DoorwardProcess.command(["check", "--connect", bot], deployment)
        #expect((output.status == 0) == (row.says == nil), "\(output)")
        #expect(row.says.map { output.errors.contains($0) } ?? true, "\(output.errors)")
        #expect(!output.errors.contains("SASLprep") && !output.errors.contains("password:"), "\(output.errors)")
    }
}
