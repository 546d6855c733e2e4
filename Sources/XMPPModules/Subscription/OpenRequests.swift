import XMPPCore

/// The requests to see the account that a session has brought and nobody has answered, in the order in which they came.
struct OpenRequests {
    /// Most of them, and most bytes of their words.
    ///
    /// Over either the oldest are forgotten; the server delivers them again at the next login.
    static let limit = 1024
    static let byteLimit = 1 << 20

    private struct Entry {
        let number: UInt64
        var request: SubscriptionRequest
    }

    private var entries: [BareJID: Entry] = [:]
    private var byteCount = 0
    private var lastNumber: UInt64 = 0

    /// The oldest first.
    var inOrder: [SubscriptionRequest] { entries.values.sorted { $0.number < $1.number }.map(\.request) }

    func contains(_ contact: BareJID) -> Bool { entries[contact] != nil }

    /// A request was delivered.
    ///
    /// What a repetition lacks is kept: servers deliver it without the nickname or the token that it came with.
    mutating func add(_ request: SubscriptionRequest) {
        let old = remove(request.contact)
        lastNumber &+= 1
        var entry = Entry(number: old?.number ?? lastNumber, request: request)
        if let known = old?.request {
            entry.request.message = request.message ?? known.message
            entry.request.nickname = request.nickname ?? known.nickname
            entry.request.token = request.token ?? known.token
            entry.request.movedFrom = request.movedFrom ?? known.movedFrom
        }
        entries[request.contact] = entry
        byteCount += Self.bytes(of: entry.request)
        while entries.count > Self.limit || (byteCount > Self.byteLimit && entries.count > 1),
            let oldest = entries.min(by: { $0.value.number < $1.value.number })
        {
            _ = remove(oldest.key)
        }
    }

    /// It was answered, or taken back.
    mutating func end(_ contact: BareJID) { _ = remove(contact) }

    mutating func removeAll() { (entries, byteCount) = ([:], 0) }

    private mutating func remove(_ contact: BareJID) -> Entry? {
        guard let entry = entries.removeValue(forKey: contact) else { return nil }
        byteCount -= Self.bytes(of: entry.request)
        return entry
    }

    private static func bytes(of request: SubscriptionRequest) -> Int {
        [request.message, request.nickname, request.token].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}
