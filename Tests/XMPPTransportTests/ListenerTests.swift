import Foundation
import Testing
import XMPPTestKit
import XMPPTransport

@Suite("A listener on a Unix socket")
struct UnixListenerTests {
    private func echo(_ connection: AcceptedConnection) -> (@Sendable (ChannelEvent) -> Void)? {
        { event in
            if case .received(let bytes) = event { connection.channel.send(bytes) }
        }
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    private func code(_ body: () throws(TransportError) -> Listener) -> TransportError.Code? {
        do throws(TransportError) {
            try body().close()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("has the mode asked for, whatever the umask", arguments: [0o660, 0o600, 0o666] as [UInt32])
    func modes(_ wanted: UInt32) async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let listener = try Listener.unix(path: folder + "/s", mode: wanted, on: loop) { _ in nil }
                defer { listener.close() }
                #expect(try mode(folder + "/s") == wanted)
            }
        }
    }

    @Test("answers the command line's client, line by line")
    func client() async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let path = folder + "/s"
                let listener = try Listener.unix(path: path, on: loop, accept: echo)
                defer { listener.close() }
                let lines = try await BlockingPool.run {
                    let connection = try UnixSocketClient.connect(path: path)
                    try connection.send(utf8("one\ntwo\n\nfour"))
                    var lines: [String] = []
                    for _ in 0..<3 {
                        lines.append(
                            try connection.readLine(limit: 10).map { String(decoding: $0, as: UTF8.self) } ?? "end"
                        )
                    }
                    connection.close()
                    return lines
                }
                #expect(lines == ["one", "two", ""])
            }
        }
    }

    @Test("gives the client its limits: a long line, a silent service, the end")
    func clientLimits() async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let path = folder + "/s"
                let listener = try Listener.unix(path: path, on: loop) { connection in
                    { event in
                        guard case .received(let bytes) = event else { return }
                        connection.channel.send(bytes)
                        if bytes.contains(0) { connection.channel.close() }
                    }
                }
                defer { listener.close() }
                let codes = try await BlockingPool.run {
                    var codes: [String] = []
                    let connection = try UnixSocketClient.connect(path: path)
                    do throws(TransportError) {
                        _ = try connection.readLine(limit: 10, timeout: .milliseconds(1))
                    } catch { codes.append(error.code.name) }
                    try connection.send([UInt8](repeating: 65, count: 11))
                    do throws(TransportError) {
                        _ = try connection.readLine(limit: 10)
                    } catch { codes.append(error.code.name) }
                    let other = try UnixSocketClient.connect(path: path)
                    try other.send(utf8("12345678\nhalf\u{0}"))
                    codes.append(try other.readLine(limit: 8).map { String(decoding: $0, as: UTF8.self) } ?? "end")
                    codes.append(try other.readLine(limit: 8) == nil ? "end" : "line")
                    other.close()
                    do throws(TransportError) {
                        try other.send([1])
                    } catch { codes.append(error.code.name) }
                    return codes
                }
                #expect(codes == ["timed out", "line too long", "12345678", "end", "closed"])
            }
        }
    }

    @Test("knows who is there by the kernel's word")
    func credentials() async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let path = folder + "/s"
                let peers = Recorder<PeerCredentials?>()
                let listener = try Listener.unix(path: path, on: loop) { connection in
                    peers.record(connection.peer)
                    return nil
                }
                defer { listener.close() }
                let end = try await BlockingPool.run {
                    try UnixSocketClient.connect(path: path).readLine(limit: 10)
                }
                #expect(end == nil)
                let seen = try await peers.wait(count: 1)
                #expect(seen == [PeerCredentials(user: getuid(), group: getgid(), process: getpid())])
            }
        }
    }

    @Test("replaces a stale socket, and leaves a live one and a file alone")
    func stale() async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let path = folder + "/s"
                // A socket whose listener died without removing it.
                let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                let result = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(dead, $0, size) }
                }
                try #require(result == 0)
                close(dead)
                let listener = try Listener.unix(path: path, on: loop, accept: echo)
                #expect(
                    code { () throws(TransportError) in try Listener.unix(path: path, on: loop) { _ in nil } }
                        == .addressInUse
                )
                let connected = try await BlockingPool.run {
                    try UnixSocketClient.connect(path: path).close()
                    return true
                }
                #expect(connected)
                listener.close()
                #expect(!FileManager.default.fileExists(atPath: path))
                try "mine".write(toFile: path, atomically: false, encoding: .utf8)
                #expect(
                    code { () throws(TransportError) in try Listener.unix(path: path, on: loop) { _ in nil } }
                        == .addressInUse
                )
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
            }
        }
    }

    @Test("does not remove another's socket at its path when it closes")
    func othersSocket() async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let path = folder + "/s"
                let first = try Listener.unix(path: path, on: loop) { _ in nil }
                try FileManager.default.removeItem(atPath: path)
                let second = try Listener.unix(path: path, on: loop) { _ in nil }
                first.close()
                #expect(FileManager.default.fileExists(atPath: path))
                second.close()
                #expect(!FileManager.default.fileExists(atPath: path))
                second.close()
            }
        }
    }

    @Test("refuses a folder that lets others in", arguments: [0o755, 0o770, 0o777, 0o751, 0o702] as [mode_t])
    func openFolder(_ mode: mode_t) async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                try #require(chmod(folder, mode) == 0)
                do throws(TransportError) {
                    _ = try Listener.unix(path: folder + "/s", on: loop) { _ in nil }
                    Issue.record("mode \(String(mode, radix: 8)) was accepted")
                } catch {
                    #expect(error.code == .unsafeFolder)
                    #expect(error.description.contains("chmod 750 \(folder)"))
                }
                for tight: mode_t in [0o750, 0o700, 0o710] {
                    try #require(chmod(folder, tight) == 0)
                    #expect(
                        code { () throws(TransportError) in
                            try Listener.unix(path: folder + "/s", on: loop) { _ in nil }
                        } == nil
                    )
                }
            }
        }
    }

    @Test("refuses a missing folder and a path over 107 bytes, and says so")
    func paths() async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                #expect(
                    code { () throws(TransportError) in try Listener.unix(path: folder + "/no/s", on: loop) { _ in nil }
                    } == .unsafeFolder
                )
                let filler = String(repeating: "a", count: 107 - folder.utf8.count - 1)
                #expect(
                    code { () throws(TransportError) in
                        try Listener.unix(path: folder + "/" + filler, on: loop) { _ in nil }
                    } == nil
                )
                let long = folder + "/" + filler + "b"
                #expect(
                    code { () throws(TransportError) in try Listener.unix(path: long, on: loop) { _ in nil } }
                        == .socketPathTooLong
                )
            }
        }
    }

    @Test("is told apart by the client: no socket, nobody there, too long a path")
    func clientErrors() async throws {
        func code(_ path: String) -> TransportError.Code? {
            do throws(TransportError) {
                _ = _ = try UnixSocketClient.connect(path: path)
                return nil
            } catch {
                return error.code
            }
        }
        try await withFolder { folder in
            #expect(code(folder + "/none") == .noSocket)
            #expect(code(folder + "/no/none") == .noSocket)
            #expect(code(folder + "/" + String(repeating: "a", count: 108)) == .socketPathTooLong)
            try "".write(toFile: folder + "/file", atomically: false, encoding: .utf8)
            #expect(code(folder + "/file") == .nobodyListens)
        }
    }
}

@Suite("A listener on TCP")
struct TCPListenerTests {
    @Test("says its port, and that a port is taken")
    func ports() async throws {
        try await withLoop { loop in
            let listener = try Listener.tcp(on: loop) { _ in nil }
            defer { listener.close() }
            #expect(listener.port > 0)
            do throws(TransportError) {
                _ = try Listener.tcp(port: listener.port, on: loop) { _ in nil }
                Issue.record("taken twice")
            } catch {
                #expect(error.code == .addressInUse)
            }
            #expect(throws: TransportError.self) { try Listener.tcp(host: "localhost", on: loop) { _ in nil } }
        }
    }

    @Test("ends what it refuses, and takes nothing more once closed")
    func refusing() async throws {
        try await withLoop { loop in
            let listener = try Listener.tcp(on: loop) { _ in nil }
            let port = listener.port
            let count = try await BlockingPool.run { try RawSocket(port: port).readToEnd().count }
            #expect(count == 0)
            listener.close()
            await loop.settle()
            let events = Recorder<ChannelEvent>()
            _ = try await loop.run {
                SocketConnector().connect(to: .host("127.0.0.1", port: port), on: loop) { events.record($0) }
            }
            let error = try await events.waitForError()
            #expect(error.code == .connectFailed)
            #expect(error.description == "connecting failed: 127.0.0.1:\(port): Connection refused")
        }
    }
}

@Suite("Signals and systemd", .serialized)
struct SystemTests {
    @Test("signals arrive on the loop, and no more once closed")
    func signals() async throws {
        try await withLoop { loop in
            let seen = Recorder<Int32>()
            // Blocked on the loop's thread only; sent to that thread.
            try await loop.run { SignalSource.block([SIGUSR1, SIGUSR2]) }
            let source = try SignalSource([SIGUSR1, SIGUSR2], on: loop) { seen.record(loop.isOnLoop ? $0 : -1) }
            await loop.settle()
            _ = try await loop.run { pthread_kill(pthread_self(), SIGUSR1) }
            try await seen.wait(count: 1)
            _ = try await loop.run { pthread_kill(pthread_self(), SIGUSR2) }
            #expect(try await seen.wait(count: 2) == [SIGUSR1, SIGUSR2])
            source.close()
            await loop.settle()
        }
    }

    @Test("systemd is told, on a path and on an abstract name", arguments: [true, false])
    func notify(_ isAbstract: Bool) async throws {
        try await withFolder { folder in
            let name = isAbstract ? "@\(folder)" : folder + "/notify"
            let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(receiver) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = isAbstract ? [0] + Array(folder.utf8) : Array(name.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let size = socklen_t(isAbstract ? 2 + bytes.count : MemoryLayout<sockaddr_un>.size)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(receiver, $0, size) }
            }
            try #require(result == 0)
            setenv("NOTIFY_SOCKET", name, 1)
            notifySystemd("READY=1")
            unsetenv("NOTIFY_SOCKET")
            notifySystemd("STOPPING=1")
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            #expect(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "READY=1")
            #expect(recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT)) == -1)
        }
    }
}
