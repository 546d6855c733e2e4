package import DoorwardStore
package import XMPPCore
import XMPPTransport

/// The pictures of all contacts of the whole fleet: each once, in a folder with a bound, and fetched by one account at a time.
///
/// What was used longest ago goes first; of one contact only a few are kept, so that nobody's changes drive out others'. A picture is served from memory until it is written. Without a folder all of it is
/// in memory.
package final class AvatarFleet: Sendable {
    /// Bounds of the folder.
    package struct Bounds: Sendable {
        /// Most bytes of all pictures together.
        package var bytes: Int
        /// Most pictures.
        package var count: Int
        /// Most pictures that one contact gave: its older ones go first, whatever room there is.
        package var perContact: Int

        package init(bytes: Int = 67_108_864, count: Int = 10_000, perContact: Int = 4) {
            (self.bytes, self.count, self.perContact) = (bytes, count, perContact)
        }
    }

    private struct Entry {
        var bytes: Int
        /// Counts uses.
        var usedAt: Int64
        /// Until it is on disk.
        var image: AvatarImage?
        /// Who gave it; nil where it was there at the start.
        var giver: BareJID?
    }

    private struct State {
        var entries: [AvatarHash: Entry] = [:]
        var byteCount = 0
        /// Who gave which, the newest last; not of pictures that were there at the start.
        var givers: [BareJID: [AvatarHash]] = [:]
        var uses: Int64 = 0
        /// Who waits for a fetch that is under way.
        var flights: [AvatarHash: [@Sendable (_ isKept: Bool) -> Void]] = [:]
    }

    private let files: AvatarFiles?
    private let bounds: Bounds
    private let state = Locked(State())

    /// The pictures of a folder, as they are there.
    package init(files: AvatarFiles? = nil, bounds: Bounds = Bounds()) {
        self.files = files
        self.bounds = bounds
        files?.removeUnfinished()
        let known = (files?.list() ?? []).sorted { $0.usedAt < $1.usedAt }
        let gone = state.withLock { state in
            for file in known {
                state.uses += 1
                state.entries[file.hash] = Entry(bytes: file.bytes, usedAt: state.uses)
                state.byteCount += file.bytes
            }
            return Self.evict(&state, bounds)
        }
        for hash in gone { files?.remove(hash) }
    }

    /// How many pictures there are, and how many bytes they have.
    package var size: (count: Int, bytes: Int) { state.withLock { ($0.entries.count, $0.byteCount) } }

    /// Whether a picture is there; from any thread.
    package func contains(_ hash: AvatarHash) -> Bool { state.withLock { $0.entries[hash] != nil } }

    /// A picture; nil where it is not there, or its file was damaged, and then it is forgotten.
    package func image(_ hash: AvatarHash) async -> AvatarImage? {
        let found = state.withLock { state -> (isThere: Bool, image: AvatarImage?) in
            guard var entry = state.entries[hash] else { return (false, nil) }
            state.uses += 1
            entry.usedAt = state.uses
            state.entries[hash] = entry
            return (true, entry.image)
        }
        guard found.isThere, found.image == nil, let files else { return found.image }
        if let image = try? await BlockingPool.run({ files.read(hash) }) { return image }
        forget(hash)
        return nil
    }

    /// Asks for leave to fetch a picture.
    ///
    /// - Parameters:
    ///   - hash: Which.
    ///   - reply: Called once, on any thread and maybe before this returns: with no where the caller may fetch it, which it
    ///     ends by `keep` or `release`; with yes where it is there by now.
    package func claim(_ hash: AvatarHash, reply: @escaping @Sendable (_ isKept: Bool) -> Void) {
        let answer = state.withLock { state -> Bool? in
            if state.entries[hash] != nil { return true }
            guard state.flights[hash] != nil else {
                state.flights[hash] = []
                return false
            }
            state.flights[hash]?.append(reply)
            return nil
        }
        if let answer { reply(answer) }
    }

    /// Keeps a picture; whoever waits for it is told.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - contact: Who gave it, whichever account asked.
    package func keep(_ image: AvatarImage, of contact: BareJID? = nil) {
        let (gone, waiters, isNew) = state.withLock { state in
            let waiters = state.flights.removeValue(forKey: image.hash) ?? []
            guard state.entries[image.hash] == nil else { return ([AvatarHash](), waiters, false) }
            state.uses += 1
            state.entries[image.hash] = Entry(bytes: image.bytes.count, usedAt: state.uses, image: image)
            state.byteCount += image.bytes.count
            let older = contact.map { Self.note(image.hash, of: $0, &state, bounds) } ?? []
            return (older + Self.evict(&state, bounds), waiters, true)
        }
        for waiter in waiters { waiter(true) }
        guard let files, isNew || !gone.isEmpty else { return }
        // Unstructured: who brings a picture does not wait for the disk, and what is not written is fetched again.
        Task.immediate {
            try? await BlockingPool.run {
                for hash in gone { files.remove(hash) }
                if isNew { self.write(image, files) }
            }
        }
    }

    /// Ends a claim without a picture: the next who waits may fetch it.
    package func release(_ hash: AvatarHash) {
        let next = state.withLock { state -> (@Sendable (Bool) -> Void)? in
            guard var waiters = state.flights[hash] else { return nil }
            guard !waiters.isEmpty else {
                state.flights[hash] = nil
                return nil
            }
            let next = waiters.removeFirst()
            state.flights[hash] = waiters
            return next
        }
        next?(false)
    }

    /// Blocking.
    private func write(_ image: AvatarImage, _ files: AvatarFiles) {
        do throws(StoreError) {
            try files.write(image)
            // It may have had to go meanwhile.
            let isWanted = state.withLock { state in
                state.entries[image.hash]?.image = nil
                return state.entries[image.hash] != nil
            }
            if !isWanted { files.remove(image.hash) }
        } catch {
            // A full disk, or a folder that is not ours: it is fetched again where it is announced again.
            forget(image.hash)
        }
    }

    private func forget(_ hash: AvatarHash) {
        state.withLock { state in
            Self.remove(hash, &state)
        }
    }

    private static func remove(_ hash: AvatarHash, _ state: inout State) {
        guard let entry = state.entries.removeValue(forKey: hash) else { return }
        state.byteCount -= entry.bytes
        guard let giver = entry.giver else { return }
        state.givers[giver]?.removeAll { $0 == hash }
        if state.givers[giver]?.isEmpty == true { state.givers[giver] = nil }
    }

    /// Notes who gave a picture, and takes out what that contact has too many of.
    private static func note(
        _ hash: AvatarHash, of contact: BareJID, _ state: inout State, _ bounds: Bounds
    ) -> [AvatarHash] {
        state.entries[hash]?.giver = contact
        state.givers[contact, default: []].append(hash)
        let gone = (state.givers[contact] ?? []).dropLast(max(bounds.perContact, 1))
        for hash in gone { remove(hash, &state) }
        return Array(gone)
    }

    /// Takes out what is over the bounds, and a little more, so that not each new picture has to look for the oldest.
    private static func evict(_ state: inout State, _ bounds: Bounds) -> [AvatarHash] {
        guard state.byteCount > bounds.bytes || state.entries.count > bounds.count else { return [] }
        var gone: [AvatarHash] = []
        for (hash, _) in state.entries.sorted(by: { $0.value.usedAt < $1.value.usedAt }) {
            guard state.byteCount > bounds.bytes / 20 * 19 || state.entries.count > bounds.count / 20 * 19 else {
                break
            }
            remove(hash, &state)
            gone.append(hash)
        }
        return gone
    }
}
