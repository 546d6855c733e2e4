import DoorwardConfig
import Foundation
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardConsole

/// What `check --connect` prints of logins that cannot be: each cause told from its neighbours, with what helps.
@Suite("check --connect: the way out of a failed login")
struct ConnectRemedyTests {
    private static let account = BareJID(preparedLocal: "support", preparedDomain: "doorward.test")

    /// A login to a server that offers so much.
    struct Try: Sendable, CustomTestStringConvertible {
        var why: String
        var offered: [String]
        var announced: [String]?
        /// Whether the server asked for a certificate within TLS.
        var asks = false
        var requiresBinding = false
        /// What is printed.
        var says: [String]

        var testDescription: String { why }
    }

    private func check(_ row: Try, certificate: TestAuthority.Certificate?) async throws -> String {
        var account = AccountConfiguration(
            jid: Self.account, bot: "b", policy: "p", password: certificate == nil ? .environment(name: "P") : nil,
            connect: .init(), resource: "doorward", mode: .enforce)
        account.login.certificate = certificate.map { .init(file: $0.certificateFile, key: $0.keyFile) }
        account.login.requiresChannelBinding = row.requiresBinding
        let configuration = Configuration(
            path: "doorward.yaml", storePath: "/nowhere/doorward.db", controlPath: "", operators: [], policies: [:],
            accounts: [account], redeliveryWait: .seconds(30))
        let server = try ScriptedServer()
        await server.add(Self.account, password: "secret")
        await server.behave {
            $0.mechanisms = row.offered
            $0.announcedBindings = row.announced
        }
        var seen = TLSSummary.inMemory
        seen.showedCertificate = row.asks
        await server.agree(on: .inMemory, clientSees: seen)
        let screen = Screen()
        var check = try #require(
            ConnectCheck("support@doorward.test", of: configuration, output: screen.out, isJSON: false))
        check.connector = server.connector
        check.readSecret = { _ in Array("secret".utf8) }
        #expect(await check.run() == .refused)
        return screen.errors
    }

    private static let certificates: [Try] =
        [["SCRAM-SHA-1"], ["SCRAM-SHA-1", "PLAIN"], ["PLAIN"], ["X-OAUTH2"], []]
        .flatMap { offered in
            [
                Try(
                    why: "not asked for, \(offered)", offered: offered,
                    says: [
                        "the server did not ask for a certificate within TLS",
                        "let the server ask clients for certificates and offer EXTERNAL, or give the account a password",
                    ]),
                Try(
                    why: "no EXTERNAL, \(offered)", offered: offered, asks: true,
                    says: [
                        "the server asked for the account's certificate and does not offer the login by it (EXTERNAL)",
                        "check that the certificate is for this address and of an authority that the server trusts",
                    ]),
            ]
        } + [
            Try(
                why: "EXTERNAL, which is not bound", offered: ["EXTERNAL", "SCRAM-SHA-1"], asks: true,
                requiresBinding: true,
                says: ["and the account requires that", "login: { channel_binding: preferred }", "a password too"]),
            Try(
                why: "only EXTERNAL, which is not bound", offered: ["EXTERNAL"], asks: true, requiresBinding: true,
                says: ["and the account requires that", "login: { channel_binding: preferred }", "a password too"]),
            Try(
                why: "-PLUS, which needs a password", offered: ["SCRAM-SHA-1-PLUS"], announced: ["tls-exporter"],
                asks: true, requiresBinding: true,
                says: ["and the account requires that", "login: { channel_binding: preferred }", "a password too"]),
            Try(
                why: "a certificate that is not this account's", offered: ["EXTERNAL"], asks: true,
                says: [
                    "login by the certificate refused (not-authorized)",
                    "check that the certificate is for this address and of an authority that the server trusts",
                ]),
        ]

    @Test("an account that has a certificate alone is never told of a password that it has", arguments: certificates)
    func certificateAlone(row: Try) async throws {
        let authority = try TestAuthority()
        let certificate = try authority.clientCertificate(for: "support@doorward.test")
        let errors = try await check(row, certificate: certificate)
        for part in row.says { #expect(errors.contains(part), "\(errors)") }
        #expect(!errors.contains("SASLprep") && !errors.contains("password:"), "\(errors)")
        #expect(!errors.contains("user name"), "\(errors)")
    }

    private static let offers: [Try] = [
        Try(
            why: "only -PLUS and nothing announced", offered: ["SCRAM-SHA-256-PLUS"],
            says: [
                "does not say of which types", "announce its channel bindings (XEP-0440)", "without channel binding",
            ]),
        Try(
            why: "only -PLUS with types that nobody has", offered: ["SCRAM-SHA-256-PLUS"], announced: ["tls-new"],
            says: ["can be made here", "tls-exporter among them", "without channel binding"]),
        Try(
            why: "types and no -PLUS", offered: ["SCRAM-SHA-256"], announced: ["tls-exporter"],
            says: ["announce its channel bindings (XEP-0440)", "with the -PLUS forms", "without channel binding"]),
        Try(
            why: "no -PLUS, and it is required", offered: ["SCRAM-SHA-256"], requiresBinding: true,
            says: ["login: { channel_binding: preferred }"]),
        Try(why: "PLAIN", offered: ["PLAIN"], says: ["PLAIN shows it the password", "login: { plain: allowed }"]),
        Try(why: "PLAIN among unknown ones", offered: ["X-OAUTH2", "PLAIN"], says: ["login: { plain: allowed }"]),
        Try(why: "what nobody has", offered: ["X-OAUTH2", "DIGEST-MD5"], says: ["let the server offer SCRAM"]),
        Try(
            why: "what nobody has, and a binding is required", offered: ["DIGEST-MD5"], requiresBinding: true,
            says: ["let the server offer SCRAM"]),
        Try(
            why: "PLAIN, and a binding is required", offered: ["PLAIN"], requiresBinding: true,
            says: ["let the server offer SCRAM"]),
    ]

    @Test("what a server offers is answered by what would help, and by nothing else", arguments: offers)
    func offer(row: Try) async throws {
        let errors = try await check(row, certificate: nil)
        for part in row.says { #expect(errors.contains(part), "\(errors)") }
        for remedy in [
            "login: { plain: allowed }", "let the server offer SCRAM:", "login: { channel_binding: preferred }",
            "without channel binding",
        ] where !row.says.contains(where: { $0.contains(remedy) || remedy.contains($0) }) {
            #expect(!errors.contains(remedy), "\(errors)")
        }
        #expect(!errors.contains("try again"), "\(errors)")
    }
}
