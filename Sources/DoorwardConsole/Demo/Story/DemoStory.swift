import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// The narration of the demo: events in, lines for a newcomer out.
///
/// It also knows how far the story is, since that is what the words depend on: who is online, whose request is decided,
/// and which wait for an operator.
struct DemoStory {
    /// What is known of one guest's request.
    struct Request: Sendable {
        var id: Int64
        var decision: Decision?
        /// Whether it is decided and to be acted on, so that the guest hears of it.
        var isAnswered: Bool
        /// Whether it was only recorded, since the account's mode is to observe.
        var isObserved = false
        var isOver = false
    }

    let accounts: [BareJID]
    let guests: [DemoGuest]
    let words: DemoWords
    private(set) var states: [BareJID: AccountStatus.State] = [:]
    /// By guest.
    private(set) var requests: [BareJID: Request] = [:]
    private var heard: [BareJID: [GuestEvent.Word]] = [:]
    private var isStopping = false
    private var saidAllAnswered = false
    /// Set once the operator's turn has come: what happens from then on is told as it comes.
    private(set) var isOperatorsTurn = false

    init(accounts: [BareJID], guests: [DemoGuest], words: DemoWords) {
        self.accounts = accounts
        self.guests = guests
        self.words = words
    }

    // MARK: How far it is

    var accountsAreOnline: Bool { accounts.allSatisfy { states[$0] == .online } }

    /// Whether everything that happens without an operator has happened for this guest.
    func isSettled(_ guest: DemoGuest) -> Bool {
        guard let request = requests[guest.jid] else { return false }
        guard request.isAnswered, !request.isOver else { return true }
        let heard = heard[guest.jid] ?? []
        switch request.decision {
        case .accept(let acceptance):
            return heard.contains(.subscribed) && (!acceptance.subscribeBack || heard.contains(.subscribe))
        case .reject:
            return heard.contains(.unsubscribed)
        case .ask, .ignore, nil:
            return true
        }
    }

    /// The guests whose requests wait on the desk.
    var waiting: [(guest: DemoGuest, id: Int64)] {
        guests.compactMap { guest in
            guard let request = requests[guest.jid], request.decision == .ask, !request.isObserved, !request.isOver
            else { return nil }
            return (guest, request.id)
        }
    }

    // MARK: What happens

    /// Tells what has happened.
    mutating func heard(_ event: DemoEvent) -> [TerminalText] {
        switch event {
        case .service(let event): service(event)
        case .guest(let jid, let event): guest(jid, event)
        case .timeIsUp, .serviceEnded: []
        case .interrupted: stopping()
        }
    }

    /// The operator's turn: what to type next.
    ///
    /// - Parameter once: Whether the demo ends now by itself.
    /// - Returns: The lines.
    mutating func operatorsTurn(once: Bool = false) -> [TerminalText] {
        isOperatorsTurn = true
        return words.operatorsTurn(
            waiting: waiting, observed: requests.values.filter(\.isObserved).count, accounts: accounts, once: once)
    }

    /// The demo ends now; what the ending itself brings is not told.
    mutating func stopping() -> [TerminalText] {
        guard !isStopping else { return [] }
        isStopping = true
        return words.stopping
    }

    private mutating func service(_ event: RuntimeEvent) -> [TerminalText] {
        switch event {
        case .accountChanged(let status): return changed(status)
        case .decided(let row, let by, _): return decided(row, by: by)
        case .answered(let row, let name): return answered(row, by: name)
        case .closed(let row, let reason):
            guard let guest = guest(of: row) else { return [] }
            requests[guest.jid]?.isOver = true
            return words.closed(row, reason: reason) + allAnswered()
        case .confirmed: return []
        // Who changes contacts of the demo sees what comes of it where it is typed.
        case .contact: return []
        case .alertRaised(let alert): return isStopping ? [] : words.alert(alert)
        case .alertCleared(let code, let account): return isStopping ? [] : words.alertCleared(code, account)
        // The guests have addresses.
        case .nameless: return []
        // They have no pictures, and the account no profile.
        case .profilePublished, .avatarSet: return []
        // Nobody weakens the demo's own server.
        case .trustedAgain, .noted: return []
        // Modules speak for themselves.
        case .moduleChanged, .moduleSaid, .moduleCrashed: return []
        case .reloaded(let change): return words.reloaded(change)
        }
    }

    private mutating func changed(_ status: AccountStatus) -> [TerminalText] {
        let before = states.updateValue(status.state, forKey: status.jid)
        guard !isStopping, before != status.state else { return [] }
        switch status.state {
        case .online: return [words.online(status)]
        case .waiting, .parked: return [words.offline(status)]
        // The way to one of the others, and the end after a reload that took the account away.
        case .connecting, .stopped: return []
        }
    }

    private mutating func decided(_ row: RequestRow, by authority: String) -> [TerminalText] {
        guard let guest = guest(of: row) else { return words.decidedForSomeone(row, by: authority) }
        let acts = row.state == .accepted || row.state == .rejected
        requests[guest.jid] = Request(
            id: row.id, decision: row.decision, isAnswered: acts,
            isObserved: row.state == .recorded && row.decision != .ignore)
        return words.decided(row, by: authority)
    }

    private mutating func answered(_ row: RequestRow, by name: String) -> [TerminalText] {
        guard let guest = guest(of: row) else { return words.answered(row, by: name) }
        heard[guest.jid] = []
        requests[guest.jid] = Request(id: row.id, decision: row.decision, isAnswered: true)
        return words.answered(row, by: name)
    }

    private mutating func guest(_ jid: BareJID, _ event: GuestEvent) -> [TerminalText] {
        guard let guest = guests.first(where: { $0.jid == jid }), !isStopping else { return [] }
        switch event {
        case .online, .rosterChanged: return []
        case .ended(let reason): return [words.guestLeft(guest, reason: reason)]
        case .sent(.subscribe, _): return words.asks(guest)
        case .sent(.subscribed, let account): return [words.agrees(guest, to: account)]
        case .sent: return []
        case .received(let word, let account):
            heard[jid, default: []].append(word)
            return words.hears(
                guest, word, from: account, blocked: isBlocked(guest), back: isAskedBack(guest)) + allAnswered()
        }
    }

    private mutating func allAnswered() -> [TerminalText] {
        guard isOperatorsTurn, !saidAllAnswered, !isStopping, guests.allSatisfy(isSettled), waiting.isEmpty else {
            return []
        }
        saidAllAnswered = true
        return words.allAnswered(isEveryGuest: guests.allSatisfy { requests[$0.jid]?.isAnswered ?? false })
    }

    private func isBlocked(_ guest: DemoGuest) -> Bool {
        if case .reject(let rejection) = requests[guest.jid]?.decision { rejection.block } else { false }
    }

    /// Whether the account asks in answer to the guest's own request, and not since an operator adds the guest.
    private func isAskedBack(_ guest: DemoGuest) -> Bool {
        guard let request = requests[guest.jid], request.isAnswered, !request.isOver,
            case .accept(let acceptance) = request.decision
        else { return false }
        return acceptance.subscribeBack
    }

    /// The guest that a request is of; somebody else's may be there too, by one's own client on the private server.
    private func guest(of row: RequestRow) -> DemoGuest? {
        guests.first { $0.jid == row.contact && $0.account == row.account }
    }
}
