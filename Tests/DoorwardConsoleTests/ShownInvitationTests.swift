import DoorwardConsole
import DoorwardStore
import Testing

@Suite("Invitations that requests show")
struct ShownInvitationTests {
    private let desk = DeskRenderer(now: Samples.now, width: 80)

    private func text(_ lines: [TerminalText]) -> String {
        lines.map { $0.rendered(colours: false) }.joined(separator: "\n")
    }

    @Test(
        "an invitation that did not let the request in is shown with what there is against it",
        arguments: [
            (ShownInvitation(.expired, id: 3), "expired", "shows invitation 3, which has expired"),
            (.init(.usedUp, id: 3), "used_up", "shows invitation 3, which is used up"),
            (.init(.revoked, id: 3), "revoked", "shows invitation 3, which was revoked"),
            (.init(.otherContact, id: 3), "other_contact", "shows invitation 3, which is for another address"),
            (.init(.otherAccount, id: 3), "other_account", "shows invitation 3, which is for another account"),
            (.init(.unknown), "unknown", "shows an invitation that was not made here"),
            (.init(.valid, id: 3), "valid", "shows invitation 3"),
        ])
    func invitations(shown: ShownInvitation, word: String, words: String) {
        var row = Samples.request()
        row.shown = shown
        #expect(
            row.json["token"] == .string(word) && row.json["invitation"] == (shown.id.map { .integer($0) } ?? .null))
        for lines in [desk.pending(.array([row.json]), all: false), desk.requests(.array([row.json]))] {
            #expect(text(lines).contains("\n       " + words + "\n"), "\(text(lines))")
        }
    }
}
