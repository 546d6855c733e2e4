import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@testable import DoorwardConsole

/// Addresses whose local part has escapes (XEP-0106), as a person sees them.
@Suite("An escaped address")
struct EscapedAddressTests {
    private static let addresses = [
        (#"d\27artagnan@musketeers.lit"#, " (d'artagnan)"),
        (#"space\20cadet@example.com"#, " (space cadet)"),
        (#"treville\40musketeers.lit@gate.example"#, " (treville@musketeers.lit)"),
        (#"c\3a\5cnet@example.com"#, #" (c:\net)"#),
        // What unescapes to the spelling of a character is told from it.
        (#"a\5cu\5c@example.com"#, #" (a\u\)"#),
        ("ann@example.com", ""), (#"c\net@example.com"#, ""), (#"a\5C@example.com"#, #" (a\)"#),
        (#"\20a@example.com"#, ""), ("example.com", ""),
    ]

    private func text(_ lines: [TerminalText]) -> String {
        lines.map { $0.rendered(colours: false) }.joined(separator: "\n")
    }

    /// What each command prints of a contact.
    private func places(_ contact: BareJID) -> [(String, [TerminalText])] {
        let desk = DeskRenderer(now: Samples.now, width: 200)
        var request = Samples.request()
        request.contact = contact
        var history = Samples.history()
        history.contact = contact
        let roster = RosterSnapshot(
            account: Samples.jid("a@x.example"),
            items: [.init(jid: contact, name: "B", subscription: "both", asked: false, groups: [])])
        return [
            ("pending", desk.pending(.array([request.json]), all: false)),
            ("pending ID", desk.requests(.array([request.json]))),
            ("accept", desk.answered(.array([request.json]), accepted: true)),
            ("history", desk.history(.array([history.json]), limit: 1)),
            ("roster", ContactRenderer(now: Samples.now, width: 200).roster(roster.json, account: "a@x.example")),
        ]
    }

    @Test("is shown as commands take it, and behind that as a person reads it", arguments: addresses)
    func shown(address: String, meaning: String) throws {
        let jid = try BareJID(address)
        for (place, lines) in places(jid) {
            let words = text(lines)
            #expect(words.contains(jid.description + meaning + " "), "\(place): \(words)")
            #expect(!meaning.isEmpty || !words.contains(jid.description + " ("), "\(place): \(words)")
        }
    }

    @Test("is never unescaped in data")
    func data() {
        let contact = Samples.jid(#"d\27artagnan@musketeers.lit"#)
        var request = Samples.request()
        request.contact = contact
        #expect(request.json["contact"]?.string == contact.description)
    }

    @Test("hides nothing from a terminal: what is unescaped is a stranger's text")
    func strangers() {
        for text in StrangerTexts.all + [#"a\5cu{1B}"#] {
            for address in ["\(text)@example.com", #"\27\#(text)@example.com"#, #"x\27"# + text] {
                let row = Row(.object(["contact": .string(address)]))
                let shown = TerminalText(row.contact("contact")).rendered(colours: false)
                #expect(shown.unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
                #expect(shown.hasPrefix(visible(address)))
            }
        }
    }
}
