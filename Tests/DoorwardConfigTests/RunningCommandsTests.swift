import Foundation
import Testing

@testable import DoorwardConfig

@Suite("Password commands that run") struct RunningCommandsTests {
    @Test("end with the service, with all that they started, and none begins after that")
    func end() throws {
        let commands = RunningCommands()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["1000"]
        try process.run()
        // Foundation too gives its children groups of their own.
        let group = try commands.start { process.processIdentifier }
        try #require(waitForGroup(group))
        commands.endAll()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(throws: SecretError.self) { try commands.start { 1 } }
    }

    /// Whether the process leads its group, which it does a moment after its start.
    private func waitForGroup(_ process: pid_t) -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            if getpgid(process) == process { return true }
            sched_yield()
        }
        return false
    }
}
