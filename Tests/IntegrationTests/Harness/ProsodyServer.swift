import Foundation
import Glibc
import XMPPTransport

/// A private Prosody.
final class ProsodyServer: RealServer {
    let kind = ServerKind.prosody
    let port: UInt16
    let directPort: UInt16
    let caFile: String
    let folder: String
    private let child = Locked<ChildProcess?>(nil)

    var plainPort: UInt16 { port }
    var log: String { (try? String(contentsOfFile: "\(folder)/prosody.log", encoding: .utf8)) ?? "" }

    init() async throws {
        folder = try RunFolder.shared.folder("prosody")
        port = try Sockets.freePort()
        directPort = try Sockets.freePort()
        caFile = "\(folder)/ca.pem"
        try await Certificates.authority("ca", in: folder)
        var hosts = ""
        let kinds = Kind.all(in: folder)
        for host in Hosts.all + kinds.map(\.host) {
            let names = [host == Hosts.misnamed ? "another.test" : host]
            try await Certificates.certificate(host, for: names, in: folder)
            let kind = kinds.first { $0.host == host }
            hosts += """
                VirtualHost "\(host)"
                  ssl = { key = "\(folder)/\(host).key"; certificate = "\(folder)/\(host).crt"; \(kind?.tls ?? "") }
                  \(kind?.settings ?? "")

                """
        }
        let configuration = try Servers.template(
            "prosody.cfg.lua.in",
            [
                "DIR": folder, "PORT": "\(port)", "DIRECT": "\(directPort)", "HOSTS": hosts,
                "PLUGINS": try Servers.folder("prosody-plugins"),
                "RUN_AS_ROOT": getuid() == 0 ? "run_as_root = true" : "",
            ])
        try configuration.write(toFile: "\(folder)/prosody.cfg.lua", atomically: true, encoding: .utf8)
    }

    func start() async throws {
        let child = try ChildProcess(
            "prosody", ["-F", "--config", "\(folder)/prosody.cfg.lua"], output: "\(folder)/stdout")
        self.child.withLock { $0 = child }
        try await eventually("Prosody to listen") {
            if let ending = child.ending { throw HarnessError("Prosody ended (\(ending)): \(log)") }
            guard let fd = try? Sockets.connect(port: port) else { return false }
            close(fd)
            return true
        }
    }

    func stop() async {
        let child = child.withLock { child in
            defer { child = nil }
            return child
        }
        await child?.stop()
    }

    /// Prosody reads an account's file at each login, and turns the password into SCRAM keys at the first.
    func addUser(_ user: String, at host: String, password: String) async throws {
        let accounts = "\(folder)/data/\(Self.encoded(host))/accounts"
        try FileManager.default.createDirectory(atPath: accounts, withIntermediateDirectories: true)
        try "return { [\"password\"] = \"\(password)\"; };\n".write(
            toFile: "\(accounts)/\(Self.encoded(user)).dat", atomically: true, encoding: .utf8)
    }

    /// A further host, of its own kind.
    private struct Kind {
        var host: String
        var tls = ""
        var settings = ""

        /// - Parameter folder: Where the authority is.
        /// - Returns: All of them.
        static func all(in folder: String) -> [Kind] {
            let modern = [
                "smacks", "sasl2_for_0_12", "sasl2", "sasl2_bind2", "sasl2_fast", "sasl2_sm_for_0_12", "sasl2_sm",
            ]
            let streams = "modules_enabled = { \"smacks\" }"
            return [
                Kind(host: Hosts.streams, settings: streams),
                Kind(host: Hosts.old, tls: "protocol = \"tlsv1_2\"", settings: streams),
                Kind(host: Hosts.sha256, settings: streams + "; password_hash = \"SHA-256\""),
                Kind(host: Hosts.modern, settings: "modules_enabled = { \"\(modern.joined(separator: "\"; \""))\" }"),
                Kind(host: Hosts.profiles, settings: "modules_enabled = { \"pep\"; \"vcard_legacy\" }"),
                Kind(
                    host: Hosts.inviting,
                    settings: "modules_enabled = { \"invites_adhoc\"; \"invites_register\" }; allow_user_invites = true"
                ),
                Kind(host: Hosts.linking, settings: "modules_enabled = { \"invites_adhoc\" }"),
                Kind(host: Hosts.vCards, settings: "modules_enabled = { \"pep\"; \"vcard\" }"),
                Kind(
                    host: Hosts.certificates,
                    tls: "verify = { \"peer\", \"client_once\" }; cafile = \"\(folder)/ca.pem\"",
                    settings: streams + "; authentication = \"ccert\""),
            ]
        }
    }

    private static func encoded(_ name: String) -> String {
        name.utf8.map { byte in
            let isPlain =
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16)
        }.joined()
    }
}
