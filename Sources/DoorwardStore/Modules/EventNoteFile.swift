import Glibc
import Synchronization

/// A file of slots beside the store: each holds one event that a module has in its hands.
///
/// It is mapped into memory, so a note costs no call of the system, and the kernel keeps what was written when the process
/// traps. Nothing of it is forced to the disk: where the machine goes too, no module is to blame.
package final class EventNoteFile: @unchecked Sendable {
    // Unchecked because the slots and `free` are reached under `mutex` only; it and `memory` do not change.

    /// How many events can be noted at a time; further ones are handled without a note.
    package static let slots = 1024
    /// Of a slot: one byte that says that it is used, then account, module and event, each with a zero behind it.
    private static let slotSize = 512

    private let memory: UnsafeMutableRawPointer
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var free: [Int]

    /// Opens the file, and takes out what the process before has left.
    ///
    /// - Returns: Nil where there can be no such file: then nothing is noted.
    static func open(beside path: String) -> (file: EventNoteFile, left: [EventNote])? {
        let descriptor = Glibc.open(path + ".events", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        let size = slots * slotSize
        guard ftruncate(descriptor, off_t(size)) == 0,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { return nil }
        let file = EventNoteFile(memory)
        return (file, file.takeAll())
    }

    private init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        free = Array((0..<Self.slots).reversed())
    }

    deinit {
        munmap(memory, Self.slots * Self.slotSize)
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Notes an event.
    ///
    /// - Returns: Its slot; nil where all are taken, or it does not fit.
    package func begin(_ note: EventNote) -> Int? {
        var bytes: [UInt8] = []
        for text in [note.account, note.module, note.event] {
            bytes += text.utf8
            bytes.append(0)
        }
        guard bytes.count < Self.slotSize else { return nil }
        return withLock {
            guard let slot = free.popLast() else { return nil }
            let place = memory + slot * Self.slotSize
            UnsafeMutableRawBufferPointer(start: place + 1, count: bytes.count).copyBytes(from: bytes)
            // Behind the rest: a note is whole or none.
            atomicMemoryFence(ordering: .releasing)
            place.storeBytes(of: 1, as: UInt8.self)
            return slot
        }
    }

    /// The event was handled.
    package func end(_ slot: Int) {
        guard (0..<Self.slots).contains(slot) else { return }
        withLock {
            (memory + slot * Self.slotSize).storeBytes(of: 0, as: UInt8.self)
            free.append(slot)
        }
    }

    /// The process ends in order: what modules still have in their hands is nobody's fault.
    func clear() {
        withLock {
            for slot in 0..<Self.slots { (memory + slot * Self.slotSize).storeBytes(of: 0, as: UInt8.self) }
        }
    }

    private func withLock<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    private func takeAll() -> [EventNote] {
        (0..<Self.slots).compactMap { slot in
            let place = memory + slot * Self.slotSize
            guard place.load(as: UInt8.self) == 1 else { return nil }
            place.storeBytes(of: 0, as: UInt8.self)
            let bytes = UnsafeRawBufferPointer(start: place + 1, count: Self.slotSize - 1)
            let parts = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3 else { return nil }
            return EventNote(account: parts[0], module: parts[1], event: parts[2])
        }
    }
}
