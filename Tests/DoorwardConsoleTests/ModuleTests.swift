import DoorwardRuntime
import Testing
import XMPPClient
import XMPPCore

@testable import DoorwardConsole

@Suite("Modules in status, logs and files")
struct ModuleTests {
    private func status(_ state: ModuleState, dropped: Int = 0, errors: Int = 0) -> ModuleStatus {
        var status = ModuleStatus(name: "greeter", state: state)
        (status.handled, status.waiting, status.dropped, status.errors) = (7, 1, dropped, errors)
        return status
    }

    private func words(_ modules: [ModuleStatus]) -> [String] {
        var account = Samples.accountStatus()
        account.modules = modules
        let service = ServiceStatus(version: "0", startedAt: Samples.start, alerts: [], accounts: [account])
        return ServiceRenderer(now: Samples.now, width: 100).status(service.json)
            .map { $0.rendered(colours: false) }.filter { $0.contains("module") }
    }

    @Test("the object of a module")
    func json() {
        #expect(
            status(.disabled("why"), dropped: 2, errors: 3).json.oneLine
                == #"{"name":"greeter","state":"disabled","reason":"why","handled":7,"waiting":1,"dropped":2,"errors":3}"#
        )
        #expect(status(.stuck).json["state"]?.string == "stuck")
        #expect(status(.running).json["reason"] == .null)
    }

    @Test("words: one line for each that is not as it should be, one for all others")
    func terminal() {
        #expect(words([]) == [])
        #expect(words([status(.running)]) == ["1 module runs."])
        let jid = "support@doorward.test"
        #expect(
            words([status(.running), status(.stuck), status(.failed("no key"))]) == [
                "\(jid): the module greeter is stuck", "\(jid): the module greeter is failed: no key",
                "1 other module runs.",
            ])
        #expect(
            words([status(.running, dropped: 1, errors: 2)]) == [
                "\(jid): the module greeter is running, 1 event dropped, 2 events failed"
            ])
    }

    @Test("log lines: states, words of a module in one line, crashes")
    func log() {
        let jid = Samples.accountStatus().jid
        func text(_ event: RuntimeEvent) -> String { EventLog.line(for: event, at: Samples.start).text }
        let time = "time=2026-01-05T12:00:00.000Z"
        #expect(
            text(.moduleChanged(jid, module: "greeter", .stuck))
                == "\(time) level=warning event=module_changed account=\(jid) module=greeter state=stuck")
        let said = text(.moduleSaid(jid, module: "greeter", text: "a\nlevel=info b", isWarning: false, dropped: 3))
        #expect(said.hasPrefix("\(time) level=info event=module_said account=\(jid) module=greeter text="))
        #expect(said.hasSuffix(" dropped=3"))
        #expect(!said.contains("\n"))
        #expect(
            text(.moduleCrashed(jid, module: "greeter"))
                == "\(time) level=error event=module_crashed account=\(jid) module=greeter")
    }
}
