import Foundation
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("The store's file")
struct StoreFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("the file is the owner's alone, a missing folder is made for owner and group")
    func permissions() async throws {
        let path = folder.file("a/b/doorward.db")
        let store = try Store(path: path)
        try await store.change(.opened(delivered("ann"), Record.ask))
        for suffix in ["", "-wal", "-shm", ".lock"] { #expect(try mode(path + suffix) == 0o600, "\(suffix)") }
        for made in ["a", "a/b"] { #expect(try mode(folder.file(made)).map { $0 & 0o027 } == 0) }
        await store.close()
    }

    @Test("settings that keep what was acknowledged")
    func settings() async throws {
        let store = try Store(path: folder.file("doorward.db"))
        let settings = [
            ("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1"),
            ("user_version", "\(Migration.all.count)"),
        ]
        for (pragma, value) in settings {
            #expect(try await store.texts("SELECT CAST(\(pragma) AS TEXT) FROM pragma_\(pragma)") == [value])
        }
        await store.close()
    }

    @Test("all is there after closing and opening; sessions and revisions go on rising")
    func reopen() async throws {
        let path = folder.file("doorward.db")
        let first = try Store(path: path)
        #expect(try await first.beginSession(account: account, at: time(0)) == 1)
        try await first.change(.opened(delivered("ann"), Record.accept))
        let before = try await first.dump()
        await first.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let second = try Store(path: path)
        #expect(try await second.dump() == before)
        #expect(try await second.beginSession(account: account, at: time(0)) == 2)
        let row = try await second.change(.opened(delivered("bob"), Record.ask))
        #expect(row?.id == 2)
        #expect(row?.revision == 2)
        await second.close()
    }

    @Test("a second doorward on the same store is refused, and let in when the first has ended")
    func inUse() async throws {
        let path = folder.file("doorward.db")
        let first = try Store(path: path)
        let error = await failure { try Store(path: path) }
        #expect(error?.code == .inUse)
        #expect(error?.description.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
        try await first.change(.opened(delivered("ann"), Record.ask))
        await first.close()
        let second = try Store(path: path)
        #expect(try await second.pending(all: false, account: nil).count == 1)
        await second.close()
    }

    @Test("a store that goes away without being closed lets go of its file")
    func dropped() async throws {
        let path = folder.file("doorward.db")
        do {
            let store = try Store(path: path)
            try await store.change(.opened(delivered("ann"), Record.ask))
        }
        let second = try Store(path: path)
        #expect(try await second.pending(all: false, account: nil).count == 1)
        await second.close()
    }

    @Test("a path that cannot be opened is an error each time, and holds no lock")
    func cannotOpen() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("dir.db"), withIntermediateDirectories: false)
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder.file("plain")))
        for path in [folder.file("dir.db"), folder.file("plain/doorward.db"), "", "a\u{0}b"] {
            for _ in 0..<2 { #expect(await failure { try Store(path: path) }?.code == .cannotOpen, "\(path)") }
        }
    }

    @Test("a file that is no database is corrupt, and left as it is")
    func notADatabase() async throws {
        let path = folder.file("doorward.db")
        let content = Data(String(repeating: "not a database ", count: 500).utf8)
        try content.write(to: URL(fileURLWithPath: path))
        for _ in 0..<2 { #expect(await failure { try Store(path: path) }?.code == .corrupt) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
    }
}
