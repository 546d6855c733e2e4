import DoorwardConsole
import XMPPCore
import XMPPModules
import XMPPTransport

/// The guests of one run: each is a user of its own and asks one account.
struct GuestCrowd: Sendable {
    struct Part: Sendable {
        var guest: BareJID
        var account: BareJID
        var fate: Fate
    }

    /// Logins at a time: the server does each in some 20 ms of its processor.
    private static let width = 16

    let parts: [Part]
    private var guests: [Guest] = []

    /// Spreads the guests over the accounts so that each account has some of every fate.
    init(_ count: Int, accounts: [BareJID]) throws(BenchError) {
        var parts: [Part] = []
        for number in 0..<count {
            let fate = Fate.allCases[number / accounts.count % Fate.allCases.count]
            let guest = try address("guest-\(number)@\(fate.host)")
            parts.append(Part(guest: guest, account: accounts[number % accounts.count], fate: fate))
        }
        self.parts = parts
    }

    /// Logs all of them in and keeps them online; a bounded number at a time.
    mutating func logIn(password: String, server: PrivateProsody, loop: EventLoop) async throws {
        let guests = parts.map { part in
            Guest(
                part.guest, password: password, port: server.port, caFile: server.caFile, loop: loop,
                acceptsAskingBack: part.fate == .friend)
        }
        self.guests = guests
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, guest) in guests.enumerated() {
                if number >= Self.width { try await group.next() }
                group.addTask { try await guest.logIn() }
            }
            try await group.waitForAll()
        }
    }

    /// All ask at once; returns when all is written.
    func ask() async {
        for (part, guest) in zip(parts, guests) {
            await guest.ask(part.account, message: part.fate.message, nickname: part.guest.local)
        }
    }

    /// Waits until the server has processed what each has sent: it answers stanzas in order (RFC 6120 section 10.1).
    func settle() async {
        for guest in guests {
            _ = await guest.request(.get, to: JID(guest.jid.server), PingPayload.get())
        }
    }

    func logOut() async {
        await withDiscardingTaskGroup { group in
            for guest in guests { group.addTask { await guest.logOut() } }
        }
    }

    /// What guests were told that the policy does not say, in words; empty where all is right.
    func wrongVerdicts() async -> [String] {
        var wrong: [String] = []
        for (part, guest) in zip(parts, guests) {
            let events = await guest.events
            let told = [GuestEvent.Word.subscribed, .unsubscribed].map { word in
                events.count { $0 == .received(word, from: part.account) }
            }
            let due =
                switch part.fate {
                case .friend: [1, 0]
                case .spammer, .seller: [0, 1]
                case .stranger: [0, 0]
                }
            if told != due { wrong.append("\(part.guest) was told yes and no \(told) times, due \(due)") }
        }
        return wrong
    }
}

/// An address that this program made itself.
func address(_ text: String) throws(BenchError) -> BareJID {
    do { return try BareJID(text) } catch { throw BenchError("\(text): \(error.description)") }
}
