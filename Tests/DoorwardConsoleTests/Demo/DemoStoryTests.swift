import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@testable import DoorwardConsole

@Suite("The demo's story")
struct DemoStoryTests {
    private let support: BareJID
    private let info: BareJID
    private let guests: [DemoGuest]
    private var story: DemoStory

    init() throws {
        support = try BareJID("support@doorward.test")
        info = try BareJID("info@doorward.test")
        guests = DemoGuest.five(for: [(support, "community"), (info, "community")])
        story = DemoStory(
            accounts: [support, info], guests: guests, words: DemoWords(program: ".build/release/doorward"))
    }

    private func status(_ jid: BareJID, _ state: AccountStatus.State, error: String? = nil) -> DemoEvent {
        .service(
            .accountChanged(
                AccountStatus(
                    jid: jid, state: state, since: Timestamp(milliseconds: 0), policy: "community", mode: .enforce,
                    contacts: 0, pending: 0, lastError: error)))
    }

    private func row(
        _ guest: Int, _ decision: Decision, state: RequestState, rule: String? = "a rule"
    ) -> RequestRow {
        RequestRow(
            id: Int64(guest + 1), account: guests[guest].account, contact: guests[guest].jid,
            message: guests[guest].message, nickname: guests[guest].nickname, receivedAt: Timestamp(milliseconds: 0),
            lastSeenAt: Timestamp(milliseconds: 0), seenCount: 1, session: 1, version: 1, state: state, onDesk: true,
            decision: decision, rule: rule, policy: "community", outbox: nil, revision: 1)
    }

    private func text(_ lines: [TerminalText]) -> String {
        for line in lines { #expect(line.columns <= DemoWords.width, "\(line.rendered(colours: false))") }
        return lines.map { $0.rendered(colours: false) + "\n" }.joined()
    }

    @Test("guests begin when every account is online; each state is told once")
    mutating func accounts() {
        #expect(story.heard(status(support, .connecting)).isEmpty)
        #expect(!story.accountsAreOnline)
        #expect(text(story.heard(status(support, .online))).contains("support@doorward.test"))
        #expect(story.heard(status(support, .online)).isEmpty)
        #expect(!story.accountsAreOnline)
        #expect(text(story.heard(status(info, .parked, error: "the password is wrong"))).contains("password is wrong"))
        #expect(!story.accountsAreOnline)
        _ = story.heard(status(info, .online))
        #expect(story.accountsAreOnline)
    }

    @Test("a friend is accepted, asked back, and settled only when all of that has happened")
    mutating func friend() {
        let zoe = guests[0]
        #expect(text(story.heard(.guest(zoe.jid, .sent(.subscribe, to: support)))).contains("Zoe from the choir"))
        #expect(!story.isSettled(zoe))
        let accepted = row(0, .accept(Acceptance(subscribeBack: true, groups: ["Friends"])), state: .accepted)
        let words = text(story.heard(.service(.decided(accepted, by: "rule"))))
        #expect(words == "    is accepted by the rule 'a rule', into the group Friends\n")
        #expect(!story.isSettled(zoe))
        #expect(text(story.heard(.guest(zoe.jid, .received(.subscribed, from: support)))).contains("got the yes"))
        #expect(!story.isSettled(zoe))
        #expect(text(story.heard(.guest(zoe.jid, .received(.subscribe, from: support)))).contains("asks back"))
        #expect(story.isSettled(zoe))
        #expect(text(story.heard(.guest(zoe.jid, .sent(.subscribed, to: support)))).contains("Zoe agrees"))
    }

    @Test("whom an operator adds is asked, and not asked back")
    mutating func added() {
        let zoe = guests[0]
        let words = text(story.heard(.guest(zoe.jid, .received(.subscribe, from: support))))
        #expect(words == "    support@doorward.test asks whether it may see Zoe\n")
        for decision in [Decision.reject(.init()), .accept(Acceptance(subscribeBack: false)), .ask] {
            _ = story.heard(.service(.decided(row(0, decision, state: .rejected), by: "rule")))
            #expect(!text(story.heard(.guest(zoe.jid, .received(.subscribe, from: support)))).contains("back"))
        }
    }

    @Test("a refused one hears the no; a blocked one is said to be")
    mutating func refused() {
        let rejected = row(1, .reject(Rejection(block: true)), state: .rejected)
        #expect(
            text(story.heard(.service(.decided(rejected, by: "rule")))).contains(
                "rejected by the rule 'a rule', and blocked"))
        #expect(!story.isSettled(guests[1]))
        let words = text(story.heard(.guest(guests[1].jid, .received(.unsubscribed, from: info))))
        #expect(words.contains("got the no, and reaches info@doorward.test no more"))
        #expect(story.isSettled(guests[1]))
    }

    @Test(
        "what is decided without an answer says so, and is settled at once",
        arguments: [
            (Decision.ask, RequestState.open, "waits for an operator, as request 4, by the rule 'a rule'"),
            (.ignore, .recorded, "is not answered: the rule 'a rule' ignores such requests"),
            (.ask, .recorded, "would wait for an operator by the rule 'a rule', but the account only observes"),
            (
                .reject(Rejection()), .recorded,
                "would be answered 'reject' by the rule 'a rule', but the account only observes"
            ),
        ])
    mutating func unanswered(decision: Decision, state: RequestState, expected: String) {
        let words = text(story.heard(.service(.decided(row(3, decision, state: state), by: "rule"))))
        #expect(words.contains(expected))
        #expect(story.isSettled(guests[3]))
    }

    @Test("the operator's turn names the ids that wait, and the story goes on with the answers")
    mutating func operatorsTurn() {
        for number in 0..<3 {
            _ = story.heard(.service(.decided(row(number, .reject(Rejection()), state: .rejected), by: "rule")))
            _ = story.heard(.guest(guests[number].jid, .received(.unsubscribed, from: guests[number].account)))
        }
        for number in 3..<5 { _ = story.heard(.service(.decided(row(number, .ask, state: .open), by: "default"))) }
        #expect(story.waiting.map(\.id) == [4, 5])
        let turn = text(story.operatorsTurn())
        #expect(turn.contains("two requests wait"))
        #expect(turn.contains("    .build/release/doorward accept 4 "))
        #expect(turn.contains("    .build/release/doorward reject 5 --block "))
        #expect(turn.contains("    .build/release/doorward roster support@doorward.test "))
        #expect(turn.contains("let mia@example.test in"))

        let accepted = row(3, .accept(Acceptance()), state: .accepted)
        #expect(
            text(story.heard(.service(.answered(accepted, operator: "ana"))))
                == "\nana accepted request 4: mia@example.test\n")
        let yes = text(story.heard(.guest(guests[3].jid, .received(.subscribed, from: info))))
        #expect(yes.contains("Mia got the yes"))
        #expect(!yes.contains("All five"))
        let rejected = row(4, .reject(Rejection(block: true)), state: .rejected)
        #expect(text(story.heard(.service(.answered(rejected, operator: "ana")))).contains("rejected request 5"))
        #expect(
            text(story.heard(.guest(guests[4].jid, .received(.unsubscribed, from: support)))).contains(
                "All five are answered"))
        #expect(story.waiting.isEmpty)
    }

    @Test("accounts that only observe have nobody waiting, and the words say so")
    mutating func observing() {
        for number in 0..<5 { _ = story.heard(.service(.decided(row(number, .ask, state: .recorded), by: "rule"))) }
        #expect(story.waiting.isEmpty)
        let turn = text(story.operatorsTurn())
        #expect(turn.contains("Nobody waits for you.\n5 requests were only recorded"))
        #expect(turn.contains("doorward history") && !turn.contains("pending") && !turn.contains("accept"))
    }

    @Test("the lines to type carry what tells the program whom to ask")
    mutating func options() {
        story = DemoStory(
            accounts: [support], guests: guests, words: DemoWords(program: "doorward", options: "--config x.yaml"))
        for number in 0..<5 { _ = story.heard(.service(.decided(row(number, .ask, state: .open), by: "rule"))) }
        let words = text(story.operatorsTurn())
        for line in ["pending", "accept 1", "reject 2 --block", "history"] {
            #expect(words.contains("    doorward \(line) --config x.yaml"))
        }
    }

    @Test("with --once nobody is told to press Ctrl-C")
    mutating func once() {
        for number in 0..<5 { _ = story.heard(.service(.decided(row(number, .ask, state: .open), by: "rule"))) }
        let words =
            text(story.operatorsTurn(once: true))
            + text(story.words.opening(port: 1, hosts: [], folder: "/x", skipped: [], once: true))
        #expect(words.contains("5 requests wait") && !words.contains("Ctrl-C"))
    }

    @Test("after Ctrl-C nothing more is told")
    mutating func stopping() {
        _ = story.heard(status(support, .online))
        #expect(text(story.heard(.interrupted)).contains("Stopping"))
        #expect(story.heard(.interrupted).isEmpty)
        #expect(story.heard(status(support, .stopped)).isEmpty)
        #expect(story.heard(.guest(guests[0].jid, .ended("stopped"))).isEmpty)
    }

    @Test("every line fits 100 columns, however long names and words are, and no escape sequence gets through")
    mutating func hostileText() throws {
        let long = String(repeating: "é", count: 600) + "\u{1B}[2J\u{202E}"
        let account = try BareJID(
            String(repeating: "a", count: 300) + "@" + String(repeating: "b", count: 60) + ".test")
        let guest = DemoGuest(
            jid: account, account: account, nickname: long, message: long, introduction: "is a stranger",
            acceptsAskingBack: false)
        var story = DemoStory(accounts: [account], guests: [guest], words: DemoWords(program: "doorward"))
        var row = row(0, .ask, state: .open, rule: long)
        row.account = account
        row.contact = account
        let closed = row
        var accepted = row
        accepted.decision = .accept(Acceptance(subscribeBack: true, groups: [long]))
        let alert = AlertRow(
            id: 1, at: Timestamp(milliseconds: 0), account: account, code: long, text: long, clearedAt: nil)
        let events: [DemoEvent] = [
            .service(.decided(row, by: long)), .service(.decided(accepted, by: "rule")),
            .service(.answered(accepted, operator: long)), .service(.closed(closed, reason: long)),
            .service(.alertRaised(alert)), .service(.alertCleared(code: long, account: account)),
            status(account, .waiting, error: long), status(account, .parked, error: long),
            .guest(account, .sent(.subscribe, to: account)), .guest(account, .received(.subscribe, from: account)),
            .guest(account, .received(.subscribed, from: account)),
            .guest(account, .received(.unsubscribed, from: account)), .guest(account, .ended(long)),
        ]
        for event in events {
            let words = text(story.heard(event))
            #expect(!words.isEmpty)
            #expect(!words.contains("\u{1B}") && !words.contains("\u{202E}"))
        }
        let opening = story.words.opening(
            port: 15222, hosts: Array(repeating: account.domain, count: 9), folder: long, skipped: [account])
        #expect(!text(opening).contains("\u{1B}"))
    }

    @Test("the guests ask the accounts of the first one's policy, whatever others there are")
    func cast() throws {
        let front = try BareJID("front@corp.test")
        let guests = DemoGuest.five(for: [(support, "community"), (front, "staff-only")])
        #expect(guests.count == 5)
        #expect(guests.allSatisfy { $0.account == support })
        #expect(guests.filter(\.acceptsAskingBack).map(\.jid.description) == ["zoe@friends.test"])
        #expect(DemoGuest.five(for: []).isEmpty)
    }
}
