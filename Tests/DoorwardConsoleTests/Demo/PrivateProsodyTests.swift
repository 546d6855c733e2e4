import Foundation
import Testing
import XMPPCore
import XMPPTransport

@testable import DoorwardConsole

@Suite("A private Prosody", .serialized)
struct PrivateProsodyTests {
    private let servers = Locked<[PrivateProsody]>([])

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "doorward-prosody-" + UUID().uuidString
        defer { Files.remove(folder) }
        try body(folder)
        #expect(FileManager.default.fileExists(atPath: folder + "/prosody.pid") == false)
    }

    @Test("starts on a free port, listens on loopback, and leaves nothing running")
    func startAndStop() throws {
        try withFolder { folder in
            let ann = try BareJID("ann@friends.test")
            let server = try PrivateProsody.start(
                directory: folder,
                hosts: ["friends.test", "doorward.test"],
                users: [(ann, "pencil")]
            )
            #expect(LoopbackPort.candidates.contains(server.port))
            #expect(LoopbackPort.accepts(server.port))
            #expect(!server.hasEnded)
            #expect(FileManager.default.fileExists(atPath: server.caFile))
            #expect(FileManager.default.fileExists(atPath: folder + "/data/friends%2etest/accounts/ann.dat"))
            try server.addUser(BareJID("ben@doorward.test"), password: "pencil")
            #expect(FileManager.default.fileExists(atPath: folder + "/data/doorward%2etest/accounts/ben.dat"))
            server.stop()
            #expect(server.hasEnded)
            server.stop()
        }
    }

    @Test("a second start in the same folder ends the first one, though it is not its child's parent that asks")
    func staleServer() throws {
        try withFolder { folder in
            let first = try PrivateProsody.start(directory: folder, hosts: ["friends.test"])
            let second = try PrivateProsody.start(directory: folder, hosts: ["friends.test"])
            #expect(first.hasEnded)
            #expect(!second.hasEnded)
            second.kill()
            #expect(second.hasEnded)
        }
    }

    @Test("a taken port is said in words")
    func takenPort() throws {
        try withFolder { folder in
            let first = try PrivateProsody.start(directory: folder + "/a", hosts: ["friends.test"])
            defer { first.stop() }
            #expect(throws: DemoError.self) {
                try PrivateProsody.start(directory: folder + "/b", hosts: ["friends.test"], port: first.port)
            }
            let second = try PrivateProsody.start(directory: folder + "/c", hosts: ["friends.test"])
            #expect(second.port != first.port)
            second.stop()
        }
    }

    @Test("several that start at once each get a port of their own")
    func startsAtOnce() async throws {
        let folder = NSTemporaryDirectory() + "doorward-prosody-" + UUID().uuidString
        defer { Files.remove(folder) }
        let ports = try await withThrowingTaskGroup(of: PrivateProsody.self) { group in
            for number in 0..<4 {
                group.addTask {
                    try await BlockingPool.run {
                        try PrivateProsody.start(directory: "\(folder)/\(number)", hosts: ["friends.test"])
                    }
                }
            }
            var ports: Set<UInt16> = []
            for try await server in group {
                ports.insert(server.port)
                servers.withLock { $0.append(server) }
            }
            return ports
        }
        #expect(ports.count == 4)
        for server in servers.withLock({ $0 }) { server.stop() }
    }

    @Test("a pid file that names another process harms nobody")
    func foreignPid() throws {
        try withFolder { folder in
            try Files.makeFolder(folder, mode: 0o700)
            let other = try ChildProcess("/bin/sleep", ["30"], output: folder + "/sleep.out")
            let file = PidFile(path: folder + "/prosody.pid", mark: folder + "/prosody.cfg.lua")
            try file.write(other.pid)
            file.endStale()
            #expect(other.report() == nil)
            other.kill()
            #expect(other.report() == .killed(signal: SIGKILL))
        }
    }

    @Test(
        "a host that could break out of a certificate's or Prosody's settings is refused",
        arguments: [
            "a.test,DNS:evil.test", "", "ann@a.test", "a b.test", "a.test\nadmins = {}",
        ]
    )
    func badHost(host: String) {
        #expect(throws: DemoError.self) {
            try PrivateProsody.start(directory: "/nonexistent/doorward", hosts: [host])
        }
    }

    @Test("a Lua string ends where it should")
    func luaQuoting() {
        #expect(ProsodyConfiguration.quoted("/srv/a") == "\"/srv/a\"")
        #expect(ProsodyConfiguration.quoted("a\"b\\c\n7é") == "\"a\\034b\\092c\\0107\\195\\169\"")
    }

    @Test("an account file holds SCRAM-SHA-1 keys that another implementation made, and no password")
    func accountFile() throws {
        let file = try ProsodyAccountFile(
            BareJID("zoe.b@friends.test"),
            password: "pencil",
            dataFolder: "/d",
            salt: "0123456789abcdef"
        )
        #expect(file.path == "/d/friends%2etest/accounts/zoe%2eb.dat")
        #expect(file.text.contains("[\"stored_key\"] = \"acf27b88f4897abf9b9c3afd3c2589351200ebc3\""))
        #expect(file.text.contains("[\"server_key\"] = \"adc1e33b25487b88c7dee687b26f37940a73c65a\""))
        #expect(!file.text.contains("pencil"))
    }

    @Test("a missing program names 'make deps'")
    func missingProgram() {
        let error = #expect(throws: DemoError.self) {
            try ProgramFinder.find("no-such-program-of-doorward", package: "prosody")
        }
        #expect(error?.code == .programMissing)
        #expect(error?.description.contains("make deps") == true)
    }
}
