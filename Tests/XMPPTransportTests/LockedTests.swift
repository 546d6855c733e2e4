import Testing
import XMPPTransport

@Suite("A value behind a lock")
struct LockedTests {
    @Test("is one task's at a time")
    func value() async {
        let sum = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1000 { sum.withLock { $0 += 1 } } }
            }
        }
        #expect(sum.withLock { $0 } == 4000)
    }

    @Test(
        "may be empty, where the lock is all that is wanted: ThreadSanitizer finds no race in the object's first word")
    func empty() async {
        let turns = Locked(())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1000 { turns.withLock { _ in } } }
            }
        }
    }
}
