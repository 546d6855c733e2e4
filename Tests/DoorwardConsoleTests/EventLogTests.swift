import DoorwardRuntime
import Testing
import XMPPCore

@testable import DoorwardConsole

@Suite("Events as log lines")
struct EventLogTests {
    private func text(_ event: RuntimeEvent) -> String {
        EventLog.line(for: event, at: Samples.start).text
    }

    @Test("an account that goes on with its session of before says so, and no other does")
    func resumed() {
        var status = Samples.accountStatus()
        let begin = "time=2026-01-05T12:00:00.000Z level=info event=account_changed account=support@doorward.test"
        #expect(text(.accountChanged(status)) == "\(begin) state=online")
        status.resumedAt = Samples.start
        #expect(text(.accountChanged(status)) == "\(begin) state=online resumed=true")
        status.resumedAt = nil
        status.state = .waiting
        status.lastError = "why"
        #expect(text(.accountChanged(status)) == "\(begin) state=waiting error=why")
    }

    @Test("a request to be added from what is no address is a warning, with what was written in one line")
    func nameless() {
        let begin = "time=2026-01-05T12:00:00.000Z level=warning event=sender_invalid account=support@doorward.test"
        #expect(text(.nameless(Samples.accountStatus().jid, from: "@")) == "\(begin) from=@")
        #expect(!text(.nameless(Samples.accountStatus().jid, from: "a\nlevel=info")).contains("\n"))
    }
}
