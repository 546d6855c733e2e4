import Foundation
import Glibc
import XMPPTransport

/// A private ejabberd, without Erlang's distribution: so no epmd, no cookie, nothing off loopback.
final class EjabberdServer: RealServer {
    let kind = ServerKind.ejabberd
    let port: UInt16
    let plainPort: UInt16
    let directPort: UInt16
    /// With TLS 1.2 only.
    let oldPort: UInt16
    let caFile: String
    private let apiPort: UInt16
    let folder: String
    private let child = Locked<ChildProcess?>(nil)

    var log: String { (try? String(contentsOfFile: "\(folder)/ejabberd.log", encoding: .utf8)) ?? "" }

    init() async throws {
        folder = try RunFolder.shared.folder("ejabberd")
        port = try Sockets.freePort()
        plainPort = try Sockets.freePort()
        directPort = try Sockets.freePort()
        oldPort = try Sockets.freePort()
        apiPort = try Sockets.freePort()
        caFile = "\(folder)/ca.pem"
        try await Certificates.authority("ca", in: folder)
        let hosts = Hosts.all + [Hosts.streams, Hosts.sha256, Hosts.sha512, Hosts.profiles, Hosts.vCards]
        try await Certificates.certificate("server", for: hosts.filter { $0 != Hosts.misnamed }, in: folder)
        let key = try String(contentsOfFile: "\(folder)/server.key", encoding: .utf8)
        let certificate = try String(contentsOfFile: "\(folder)/server.crt", encoding: .utf8)
        try (key + certificate).write(toFile: "\(folder)/server.pem", atomically: true, encoding: .utf8)
        let configuration = try Servers.template(
            "ejabberd.yml.in",
            [
                "DIR": folder, "PORT": "\(port)", "PLAIN": "\(plainPort)", "HTTP": "\(apiPort)",
                "DIRECT": "\(directPort)", "TLS12": "\(oldPort)", "HOSTS": hosts.joined(separator: ", "),
            ])
        try configuration.write(toFile: "\(folder)/ejabberd.yml", atomically: true, encoding: .utf8)
        try "{lookup, [file]}.\n".write(toFile: "\(folder)/inetrc", atomically: true, encoding: .utf8)
    }

    func start() async throws {
        let environment = [
            "EJABBERD_CONFIG_PATH": "\(folder)/ejabberd.yml", "EJABBERD_LOG_PATH": "\(folder)/ejabberd.log",
            "EJABBERD_PID_PATH": "\(folder)/ejabberd.pid", "ERL_INETRC": "\(folder)/inetrc",
            "ERL_LIBS": try Self.libraries(), "ERL_CRASH_DUMP": "\(folder)/crash.dump", "HOME": folder,
            "CONTRIB_MODULES_PATH": "\(folder)/contrib",
        ]
        let child = try ChildProcess(
            "erl", ["-noinput", "-mnesia", "dir", "\"\(folder)/spool\"", "-s", "ejabberd"],
            output: "\(folder)/stdout", folder: folder, environment: environment)
        self.child.withLock { $0 = child }
        try await eventually("ejabberd to listen", within: .seconds(60)) {
            if let ending = child.ending { throw HarnessError("ejabberd ended (\(ending)): \(log)") }
            for port in [port, plainPort, directPort, oldPort, apiPort] {
                guard let fd = try? Sockets.connect(port: port) else { return false }
                close(fd)
            }
            return true
        }
    }

    /// Debian keeps ejabberd's code in the folder of the machine's kind.
    private static func libraries() throws -> String {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        for folder in folders.map({ "/usr/lib/\($0)" }) + ["/usr/lib"] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            if names.contains(where: { $0.hasPrefix("ejabberd-") }) { return folder }
        }
        throw HarnessError("ejabberd is not installed: apt-get install ejabberd (and keep its service off)")
    }

    func stop() async {
        let child = child.withLock { child in
            defer { child = nil }
            return child
        }
        await child?.stop(within: .seconds(20))
    }

    func addUser(_ user: String, at host: String, password: String) async throws {
        let body = "{\"user\":\"\(user)\",\"host\":\"\(host)\",\"password\":\"\(password)\"}"
        let request =
            "POST /api/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let port = apiPort
        let answer = try await blocking {
            let fd = try Sockets.connect(port: port)
            defer { close(fd) }
            try Sockets.send(Array(request.utf8), to: fd)
            var bytes: [UInt8] = []
            while case let more = Sockets.receive(from: fd), !more.isEmpty { bytes += more }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard answer.hasPrefix("HTTP/1.1 200") else { throw HarnessError("ejabberd did not register: \(answer)") }
    }
}

/// Runs what blocks away from Swift's own threads.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}
