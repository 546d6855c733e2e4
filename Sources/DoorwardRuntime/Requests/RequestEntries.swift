import XMPPCore

/// The entries of a ledger by their contacts, with how many of them wait, in all and of each domain.
struct RequestEntries: Sequence {
    private var entries: [BareJID: RequestLedger.Entry] = [:]
    private var waitingByDomain: [BareJID: Int] = [:]
    /// How many stay until a person or their sender ends them.
    private(set) var waiting = 0

    var count: Int { entries.count }

    /// How many of those are of that server.
    func waiting(at server: BareJID) -> Int { waitingByDomain[server] ?? 0 }

    subscript(contact: BareJID) -> RequestLedger.Entry? {
        get { entries[contact] }
        _modify {
            let before = entries[contact]?.waits ?? false
            defer {
                let now = entries[contact]?.waits ?? false
                if before != now { count(now ? 1 : -1, at: contact.server) }
            }
            yield &entries[contact]
        }
    }

    func makeIterator() -> some IteratorProtocol<(key: BareJID, value: RequestLedger.Entry)> { entries.makeIterator() }

    private mutating func count(_ difference: Int, at server: BareJID) {
        waiting += difference
        let count = waiting(at: server) + difference
        waitingByDomain[server] = count > 0 ? count : nil
    }
}
