import Foundation
import Glibc
import Synchronization

/// A private Prosody.
final class ProsodyServer: RealServer {
    let kind = ServerKind.prosody
    let port: UInt16
    let caFile: String
    private let folder: String
    private let child = Mutex<ChildProcess?>(nil)

    var plainPort: UInt16 { port }
    var log: String { (try? String(contentsOfFile: "\(folder)/prosody.log", encoding: .utf8)) ?? "" }

    init() async throws {
        folder = try RunFolder.shared.folder("prosody")
        port = try Sockets.freePort()
        caFile = "\(folder)/ca.pem"
        try await Certificates.authority("ca", in: folder)
        var hosts = ""
        for host in Hosts.all {
            let names = [host == Hosts.misnamed ? "another.test" : host]
            try await Certificates.certificate(host, for: names, in: folder)
            hosts += """
                VirtualHost "\(host)"
                  ssl = { key = "\(folder)/\(host).key"; certificate = "\(folder)/\(host).crt" }

                """
        }
        let configuration = try Servers.template(
            "prosody.cfg.lua.in",
            [
                "DIR": folder, "PORT": "\(port)", "HOSTS": hosts,
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

    private static func encoded(_ name: String) -> String {
        name.utf8.map { byte in
            let isPlain =
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16)
        }.joined()
    }
}
