import Foundation
import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("The hosts file")
struct HostsFileTests {
    private func find(_ name: String, in file: HostsFile, on loop: EventLoop) async -> [String]? {
        await withCheckedContinuation { continuation in
            loop.execute {
                file.find(name, on: loop) { continuation.resume(returning: $0?.map(\.description)) }
            }
        }
    }

    @Test("gives names their addresses, in any case, and passes over what is none")
    func parsing() async throws {
        try await withFile(
            """
            # 10.0.0.1 commented
            10.0.0.2\tHost.example  other.example # 10.0.0.9 late
            ::1 host.example
            10.0.0.2 host.example
            nonsense host.example
            10.0.0.3
            10.0.0.4 windows.example\r
            10.0.0.5 last.example
            """
        ) { path, loop in
            let file = HostsFile(path: path)
            #expect(await find("HOST.example", in: file, on: loop) == ["10.0.0.2", "::1"])
            #expect(await find("host.example.", in: file, on: loop) == ["10.0.0.2", "::1"])
            #expect(await find("other.example", in: file, on: loop) == ["10.0.0.2"])
            #expect(await find("windows.example", in: file, on: loop) == ["10.0.0.4"])
            #expect(await find("last.example", in: file, on: loop) == ["10.0.0.5"])
            for name in ["commented", "late", "nonsense", "10.0.0.2", ""] {
                #expect(await find(name, in: file, on: loop) == nil)
            }
        }
    }

    @Test("is read again when it changed, came or went")
    func changes() async throws {
        try await withFile("10.0.0.1 a.example\n") { path, loop in
            let file = HostsFile(path: path)
            #expect(await find("a.example", in: file, on: loop) == ["10.0.0.1"])
            try "10.0.0.22 a.example\n".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(await find("a.example", in: file, on: loop) == ["10.0.0.22"])
            try FileManager.default.removeItem(atPath: path)
            #expect(await find("a.example", in: file, on: loop) == nil)
            try "10.0.0.3 a.example\n".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(await find("a.example", in: file, on: loop) == ["10.0.0.3"])
        }
    }

    @Test("answers everyone who asked while it was being read")
    func waiting() async throws {
        try await withFile("10.0.0.1 a.example\n") { path, loop in
            let file = HostsFile(path: path)
            let answers = Recorder<[IPAddress]?>()
            try await loop.run { for _ in 0..<100 { file.find("a.example", on: loop) { answers.record($0) } } }
            #expect(try await answers.wait(count: 100).allSatisfy { $0?.count == 1 })
        }
    }

    @Test("is not touched on the loop, not even to see whether it changed")
    func offTheLoop() async throws {
        try await withFile("10.0.0.1 a.example\n") { path, loop in
            let file = HostsFile(path: path)
            #expect(await find("a.example", in: file, on: loop) == ["10.0.0.1"])
            let pool = BusyPool()
            await pool.isBusy()
            let answers = Recorder<[IPAddress]?>()
            try await loop.run { file.find("a.example", on: loop) { answers.record($0) } }
            await loop.settle()
            #expect(answers.values.isEmpty)
            pool.free()
            #expect(try await answers.wait(count: 1).first??.count == 1)
        }
    }

    private func withFile(_ text: String, _ body: (String, EventLoop) async throws -> Void) async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let path = folder + "/hosts"
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                try await body(path, loop)
            }
        }
    }
}
