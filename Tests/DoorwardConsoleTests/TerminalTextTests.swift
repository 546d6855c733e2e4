import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@testable import DoorwardConsole

@Suite("Text of strangers")
struct TerminalTextTests {
    @Test("is shown, never sent", arguments: StrangerTexts.all)
    func visibleText(text: String) {
        #expect(visible(text).unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
        #expect(TerminalText(text).rendered(colours: false) == visible(text))
        #expect(("\(text)" as TerminalText).rendered(colours: false) == visible(text))
        let rendered = cut(text, to: 30)
        #expect(rendered.columns <= 30)
        #expect(cutAddress(text, to: 30).columns <= 30)
        #expect(rendered.rendered(colours: false).unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
    }

    @Test(
        "is spelled the same way each time",
        arguments: [
            ("\u{1B}[31m", "\\u{1B}[31m"), ("a\nb", "a\\u{A}b"), ("\u{202E}x", "\\u{202E}x"), ("\\u{1B}", "\\\\u{1B}"),
            ("C:\\x", "C:\\x"), ("d\\27art@x", "d\\27art@x"), ("é日😀", "é日😀"), ("\u{200B}", "\\u{200B}"),
        ]
    )
    func spelling(text: String, shown: String) {
        #expect(visible(text) == shown)
    }

    @Test(
        "what joins emoji to one picture is sent between them, and spelled out anywhere else (UTS #51)",
        arguments: [
            ("👨\u{200D}👩\u{200D}👧", true), ("👩🏽\u{200D}🚀", true), ("❤\u{FE0F}\u{200D}🔥", true), ("❤\u{FE0F}", true),
            ("a\u{200D}b", false), ("👨\u{200D}", false), ("\u{200D}👨", false), ("👨\u{200D}\u{200D}👩", false),
            ("👨\u{200D}a", false), ("1\u{200D}2", false), ("a\u{FE0F}", false), ("❤\u{FE0F}\u{FE0F}", false),
            ("👨\u{202E}👩", false), ("👨\u{200D}\u{202E}👩", false), ("👨\u{200B}👩", false),
            (Array(repeating: "👨", count: 20).joined(separator: "\u{200D}"), false),
        ])
    func joinedEmoji(text: String, isSent: Bool) {
        #expect(Array(visible(text).utf8) == Array(text.utf8) ? isSent : !isSent, "\(visible(text))")
        for width in 1...12 {
            let shown = cut(text, to: width).rendered(colours: false)
            #expect(!shown.unicodeScalars.contains("\u{202E}") && !shown.contains("\u{200D}…"), "\(width)")
        }
    }

    @Test("two texts that differ are shown differently")
    func injective() {
        var shown: [String: String] = [:]
        for text in StrangerTexts.all {
            let other = shown.updateValue(text, forKey: visible(text))
            #expect(other == nil || other.map { Array($0.utf8) == Array(text.utf8) } ?? false)
        }
    }

    @Test("a cut never leaves half an escape, and says that something is missing", arguments: 1...40)
    func cuts(width: Int) {
        let text = cut("ab\u{1B}\u{1B}cd\u{202E}efghijklmnopqrstuvwxyz", to: width).rendered(colours: false)
        let open = text.split(separator: "\\u{", omittingEmptySubsequences: false).dropFirst()
        #expect(open.allSatisfy { $0.contains("}") })
        #expect(text.hasSuffix("…") || text.hasSuffix("z"))
    }

    @Test("over several lines it is whole, and no line is too wide", arguments: StrangerTexts.all, [10, 30])
    func wrapping(text: String, width: Int) {
        let wrapped = WrappedText(text, width: width)
        #expect(wrapped.lines.map { $0.rendered(colours: false) }.joined() == visible(text))
        #expect(wrapped.left == 0)
        for line in wrapped.lines { #expect(line.columns <= width) }
        let short = WrappedText(text, width: width, limit: 2)
        #expect(short.lines.count <= 2)
        #expect((short.left > 0) == (wrapped.lines.count > 2))
    }

    @Test("an address keeps its domain's end when it is cut")
    func addresses() {
        let address = String(repeating: "a", count: 300) + "@" + String(repeating: "sub.", count: 20) + "evil.example"
        #expect(cutAddress(address, to: 40).rendered(colours: false).hasSuffix("evil.example"))
        #expect(cutAddress("ann@example.org", to: 40).rendered(colours: false) == "ann@example.org")
    }

    @Test("colours are ours alone")
    func colours() {
        let value = "\u{1B}[0m"
        let text = TerminalText(value).styled(.bad)
        #expect(text.rendered(colours: true) == "\u{1B}[31m\\u{1B}[0m\u{1B}[0m")
        #expect(text.rendered(colours: false) == "\\u{1B}[0m")
    }

    /// Every text of every document, replaced; what is printed may hold no character that a terminal acts on.
    @Test("in any field of any answer reaches no terminal", arguments: StrangerTexts.all)
    func everyField(text: String) {
        let desk = DeskRenderer(now: Samples.now, width: 80)
        let service = ServiceRenderer(now: Samples.now, width: 80)
        let refused = Samples.request().json.adding("error", .string("x"))
        let status = ServiceStatus(
            version: "1",
            startedAt: Samples.start,
            alerts: [Samples.alert()],
            accounts: [Samples.accountStatus(), Samples.accountStatus(.parked)]
        )
        let roster = RosterSnapshot(
            account: Samples.jid("a@x.example"),
            items: [
                .init(
                    jid: Samples.jid("b@x.example"),
                    name: "B",
                    subscription: "both",
                    asked: true,
                    groups: ["g", "h"]
                )
            ]
        )
        var contact = roster.items
        contact[0].evidence = ContactEvidence(
            firstKnown: Samples.start, addedBy: .rule, addedName: "x", askedAt: Samples.start,
            refusedAt: Samples.start, refusal: "x", lastPresence: Samples.start)
        let contactRows = JSONValue.array(
            contact.map {
                $0.evidenceJSON(asOf: Samples.start).adding("removed_by_name", .string("x"))
                    .adding("removed_at", .time(Samples.start))
            })
        let contacts = ContactRenderer(now: Samples.now, width: 80)
        var history = Samples.history()
        history.reason = "reason"
        history.rule = "rule"
        let documents: [(JSONValue, (JSONValue) -> [TerminalText])] = [
            (.array([Samples.request().json]), { desk.pending($0, all: false) + desk.pending($0, all: true) }),
            (.array([Samples.request().json]), { desk.answered($0, accepted: true) }),
            (.array([Samples.request().json.adding("account_state", .string("online"))]), { desk.requests($0) }),
            (.array([refused]), { desk.refusals($0) }), (.array([history.json]), { desk.history($0, limit: 1) }),
            (status.json, { service.status($0) }),
            (.array([Samples.alert().json(full: true)]), { service.alerts($0, all: true) }),
            (roster.json, { ContactRenderer(now: Samples.now, width: 80).roster($0, account: text) }),
            (contactRows, { contacts.list($0, account: text, asked: false, gone: false) }),
            (contactRows, { contacts.list($0, account: text, asked: true, gone: false) }),
            (contactRows, { contacts.list($0, account: text, asked: false, gone: true) }),
            (ContactWords.changed, { contacts.added($0) + contacts.changed($0) + contacts.removed($0) }),
            (ContactWords.changed, { contacts.unsubscribed($0) + contacts.revoked($0) }),
            (ContactWords.blocked, { BlockCommandWords.added($0, account: text) }),
            (ContactWords.blocked, { BlockCommandWords.removed($0, account: text) }),
            (ContactWords.blockList, { BlockCommandWords.list($0, account: text, width: 80) }),
            (
                ContactWords.invitations,
                { InviteCommandWords.list($0, all: true, width: 80) + InviteCommandWords.revoked($0) }
            ),
            (
                ContactWords.invitation,
                {
                    InviteCommandWords.made(
                        $0, Invocation(command: ContactWords.command), Output(width: 80, colours: false) { _, _ in })
                }
            ),
            (ContactWords.avatar, { AvatarCommandWords.words($0, Invocation(command: ContactWords.command)) }),
            (ContactWords.modules, { service.status($0) }),
            (
                ReloadOutcome(
                    change: .init(started: [], stopped: [], updated: [], restarted: []),
                    faults: [Samples.fault]
                ).json,
                { service.reload($0) + service.faults($0) }
            ),
        ]
        for (document, render) in documents {
            for variant in document.variants(with: text) {
                for line in render(variant) {
                    #expect(line.rendered(colours: false).unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
                }
            }
        }
        for line in Explanations.lines(with: text) {
            #expect(line.rendered(colours: false).unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
        }
    }
}

extension JSONValue {
    /// The document with each of its texts in turn replaced, and with all of them.
    func variants(with text: String) -> [JSONValue] {
        (0...textCount).map { index in
            var left = index
            return replacing(&left, with: text)
        } + [replacingAll(with: text)]
    }

    private var textCount: Int {
        switch self {
        case .string: 1
        case .array(let values): values.reduce(0) { $0 + $1.textCount }
        case .object(let members): members.reduce(0) { $0 + $1.value.textCount }
        case .null, .bool, .integer, .number: 0
        }
    }

    private func replacing(_ left: inout Int, with text: String) -> JSONValue {
        switch self {
        case .string:
            left -= 1
            return left == -1 ? .string(text) : self
        case .array(let values): return .array(values.map { $0.replacing(&left, with: text) })
        case .object(let members):
            return .object(members.map { JSONMember($0.key, $0.value.replacing(&left, with: text)) })
        case .null, .bool, .integer, .number: return self
        }
    }

    private func replacingAll(with text: String) -> JSONValue {
        switch self {
        case .string: .string(text)
        case .array(let values): .array(values.map { $0.replacingAll(with: text) })
        case .object(let members): .object(members.map { JSONMember($0.key, $0.value.replacingAll(with: text)) })
        case .null, .bool, .integer, .number: self
        }
    }
}

/// What `policy explain` prints of a hostile request and policy.
enum Explanations {
    static func lines(with text: String) -> [TerminalText] {
        let condition = ConditionTrace(condition: text, result: .fails, value: text, at: text)
        let decisions: [Decision] = [
            .accept(Acceptance(subscribeBack: true, groups: [text], name: text)), .reject(Rejection(block: true)), .ask,
            .ignore,
        ]
        return decisions.flatMap { decision in
            EvaluationRenderer(width: 80).lines(
                Evaluation(
                    decision: decision,
                    by: .rule,
                    rule: text,
                    trace: [RuleTrace(rule: text, result: .holds, conditions: [condition])]
                ),
                policy: text,
                facts: SubscriptionFacts(
                    account: Samples.jid("a@x.example"),
                    contact: Samples.jid("b@x.example"),
                    message: text,
                    nickname: text
                )
            )
        }
    }
}
