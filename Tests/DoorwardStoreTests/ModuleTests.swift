import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("What is kept for modules")
struct ModuleTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func set(_ store: Store, _ key: String, _ value: [UInt8], values: Int = 3, bytes: Int = 20) async throws
        -> Bool
    {
        try await store.setModuleValue(value, for: key, of: "m", account, values: values, bytes: bytes)
    }

    @Test("values are of one account and one module, and outlive the process")
    func values() async throws {
        let path = folder.file("s.db")
        do {
            let store = try Store(path: path)
            #expect(try await set(store, "a", [0, 255, 10]))
            #expect(try await set(store, "b", []))
            #expect(try await set(store, "a", [1]))
            await store.close()
        }
        let store = try Store(path: path)
        #expect(try await store.moduleValue("a", of: "m", account) == [1])
        #expect(try await store.moduleValue("b", of: "m", account) == [])
        #expect(try await store.moduleValue("a", of: "n", account) == nil)
        #expect(try await store.moduleValue("a", of: "m", otherAccount) == nil)
        // Byte by byte: no case is folded, and no form of a letter.
        #expect(try await store.moduleValue("A", of: "m", account) == nil)
        #expect(try await store.moduleKeys(of: "m", account) == ["a", "b"])
        try await store.removeModuleValue("a", of: "m", account)
        #expect(try await store.moduleKeys(of: "m", account) == ["b"])
    }

    @Test("what does not fit is not written; in the place of another value there is room")
    func room() async throws {
        let store = try Store(path: ":memory:")
        for key in ["a", "b", "c"] { #expect(try await set(store, key, [1, 2, 3])) }
        #expect(try await !set(store, "d", [1]))
        #expect(try await set(store, "c", Array(repeating: 0, count: 11)))
        #expect(try await !set(store, "c", Array(repeating: 0, count: 12)))
        #expect(try await store.moduleValue("c", of: "m", account)?.count == 11)
        #expect(try await store.moduleValue("d", of: "m", account) == nil)
    }

    private func note(_ event: String, module: String = "m") -> EventNote {
        EventNote(account: account.description, module: module, event: event)
    }

    /// What the next process finds; the one before did not close its store.
    private func left(_ path: String, _ begun: (EventNoteFile) -> Void) throws -> [EventNote] {
        do {
            let file = try #require(EventNoteFile.open(beside: path)).file
            begun(file)
        }
        return try #require(EventNoteFile.open(beside: path)).left
    }

    @Test("an event that was begun and not ended is found by the next process, once")
    func notes() throws {
        let path = folder.file("n.db")
        let found = try left(path) { file in
            let first = file.begin(note("1"))
            _ = file.begin(note("2"))
            if let first { file.end(first) }
            _ = file.begin(note("3"))
        }
        #expect(Set(found) == [note("2"), note("3")])
        #expect(try left(path) { _ in } == [])
    }

    @Test("more events than slots, and what fits into none, go without a note; an orderly end leaves none")
    func slots() async throws {
        let path = folder.file("n.db")
        let found = try left(path) { file in
            let slots = (0..<EventNoteFile.slots).map { file.begin(note("\($0)")) }
            #expect(!slots.contains(nil))
            #expect(file.begin(note("one more")) == nil)
            if case let slot?? = slots.first { file.end(slot) }
            #expect(file.begin(note(String(repeating: "x", count: 600))) == nil)
        }
        #expect(found.count == EventNoteFile.slots - 1)
        let store = try Store(path: path)
        _ = store.eventNotes?.begin(note("begun"))
        await store.close()
        #expect(try left(path) { _ in } == [])
        let again = try Store(path: path)
        #expect(try await again.takeCrashes(at: time(0)) == [])
    }

    /// Another start, after the module has ended the process with these in its hands.
    private func start(_ path: String, after events: [String], settings: String = "s", chance: Bool = false)
        async throws
        -> Timestamp?
    {
        if !events.isEmpty {
            let file = try #require(EventNoteFile.open(beside: path)).file
            for event in events { _ = file.begin(note(event)) }
        }
        let store = try Store(path: path)
        try await store.takeCrashes(at: time(7))
        let since = try await store.beginModule("m", of: account, settings: settings, isGivenAnotherChance: chance)
        await store.close()
        return since
    }

    @Test("a module is shut off by the second end on the same event, and comes back by other settings")
    func crashes() async throws {
        let path = folder.file("c.db")
        #expect(try await start(path, after: []) == nil)
        #expect(try await start(path, after: ["e"]) == nil)
        #expect(try await start(path, after: ["e"]) == time(7))
        #expect(try await start(path, after: []) == time(7))
        #expect(try await start(path, after: [], settings: "t") == nil)
        #expect(try await start(path, after: ["e"], settings: "t") == nil)
        #expect(try await start(path, after: ["e"], settings: "t") == time(7))
    }

    @Test("the third end is enough on any events; another chance is one")
    func chance() async throws {
        let path = folder.file("c.db")
        #expect(try await start(path, after: []) == nil)
        #expect(try await start(path, after: ["1"]) == nil)
        #expect(try await start(path, after: ["2"]) == nil)
        #expect(try await start(path, after: ["3"]) == time(7))
        #expect(try await start(path, after: [], chance: true) == nil)
        #expect(try await start(path, after: []) == nil)
        #expect(try await start(path, after: ["4"]) == time(7))
    }
}
