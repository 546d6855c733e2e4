import XMPPCore

/// What is known of contacts' pictures, in little memory: some 64 bytes each beside a long address.
///
/// Nearly always all that is known of a contact is about one picture, or that there is none; only what is more than that has
/// a block of its own.
struct AvatarTable: Sendable {
    enum Known: Hashable { case unknown, none, picture(AvatarHash) }

    /// What is known of one contact.
    struct Contact: Sendable {
        var published = Known.unknown
        var announced = Known.unknown
        var current: ContactAvatar?
        /// The last few; a contact that announces ever new ones has its budget like all.
        var failures: [ContactAvatars.Failure] = []
        var isWaiting = false
    }

    private final class Details: Sendable {
        let contact: Contact

        init(_ contact: Contact) { self.contact = contact }
    }

    private struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let publishedNone = Flags(rawValue: 1)
        static let publishedPicture = Flags(rawValue: 2)
        static let announcedNone = Flags(rawValue: 4)
        static let announcedPicture = Flags(rawValue: 8)
        static let currentNone = Flags(rawValue: 16)
        static let currentPicture = Flags(rawValue: 32)
        /// Where the present one is from.
        static let isOfPEP = Flags(rawValue: 64)
        static let isWaiting = Flags(rawValue: 128)
    }

    private struct Entry: Sendable {
        let jid: BareJID
        /// All that does not fit into the rest.
        var details: Details?
        /// The one that all of it is about.
        var hash: AvatarHash
        var flags: Flags
    }

    /// What a contact takes, beside a text that does not fit in 15 bytes and four bytes or so of the index.
    static let bytesOfOne = MemoryLayout<Entry>.stride

    private var entries: [Entry] = []
    private var free: [UInt32] = []
    private var index = SlotIndex()

    /// How many contacts something is known of.
    var count: Int { index.count }

    /// What is known of a contact; nil, also to be set, is nothing.
    subscript(jid: BareJID) -> Contact? {
        get { slot(of: jid).map { Self.contact(entries[$0]) } }
        set {
            switch (slot(of: jid), newValue) {
            case (nil, nil): break
            case (let slot?, let contact?): entries[slot] = Self.entry(jid, contact)
            case (nil, let contact?): insert(Self.entry(jid, contact))
            case (let slot?, nil):
                index.remove(slot, Self.hash(jid))
                entries[slot].details = nil
                free.append(UInt32(truncatingIfNeeded: slot))
            }
        }
    }

    /// Those of whom that holds, in no order.
    func contacts(where holds: (Contact) -> Bool) -> [BareJID] {
        index.slots.filter { holds(Self.contact(entries[$0])) }.map { entries[$0].jid }
    }

    // MARK: Places

    private static func hash(_ jid: BareJID) -> Int {
        var hasher = Hasher()
        jid.hash(into: &hasher)
        return hasher.finalize()
    }

    private func slot(of jid: BareJID) -> Int? { index.find(Self.hash(jid)) { entries[$0].jid == jid } }

    private mutating func insert(_ entry: Entry) {
        let slot: Int
        if let place = free.popLast() {
            slot = Int(place)
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.appendSparingly(entry)
        }
        index.insert(slot, Self.hash(entry.jid)) { [entries] in Self.hash(entries[$0].jid) }
    }

    // MARK: One entry

    private static func entry(_ jid: BareJID, _ contact: Contact) -> Entry {
        var flags: Flags = contact.isWaiting ? .isWaiting : []
        var hashes: [AvatarHash] = []
        switch contact.published {
        case .unknown: break
        case .none: flags.insert(.publishedNone)
        case .picture(let hash):
            flags.insert(.publishedPicture)
            hashes.append(hash)
        }
        switch contact.announced {
        case .unknown: break
        case .none: flags.insert(.announcedNone)
        case .picture(let hash):
            flags.insert(.announcedPicture)
            hashes.append(hash)
        }
        if let current = contact.current {
            if current.source == .pep { flags.insert(.isOfPEP) }
            flags.insert(current.hash == nil ? .currentNone : .currentPicture)
            if let hash = current.hash { hashes.append(hash) }
        }
        let hash = hashes.first ?? .ofNothing
        let fits = contact.failures.isEmpty && hashes.allSatisfy { $0 == hash }
        return Entry(jid: jid, details: fits ? nil : Details(contact), hash: hash, flags: flags)
    }

    private static func contact(_ entry: Entry) -> Contact {
        if let details = entry.details { return details.contact }
        let flags = entry.flags
        var contact = Contact()
        if flags.contains(.publishedNone) { contact.published = .none }
        if flags.contains(.publishedPicture) { contact.published = .picture(entry.hash) }
        if flags.contains(.announcedNone) { contact.announced = .none }
        if flags.contains(.announcedPicture) { contact.announced = .picture(entry.hash) }
        let source: ContactAvatar.Source = flags.contains(.isOfPEP) ? .pep : .vCard
        if flags.contains(.currentNone) { contact.current = ContactAvatar(nil, from: source) }
        if flags.contains(.currentPicture) { contact.current = ContactAvatar(entry.hash, from: source) }
        contact.isWaiting = flags.contains(.isWaiting)
        return contact
    }
}

extension Array {
    /// Appends, and leaves a quarter of room where there is none: there are many accounts, and their contacts seldom change.
    mutating func appendSparingly(_ element: Element) {
        if count == capacity { reserveCapacity(count + Swift.max(8, count / 4)) }
        append(element)
    }
}
