import Foundation
import Testing

@testable import DoorwardConfig

@Suite struct SecretCommandTests {
    @Test(
        "a program that does not end in time is stopped, with its children",
        .timeLimit(.minutes(1)),
        arguments: ["sleep 600", "echo hunter2; exec >&-; sleep 600", "sleep 600 & echo hunter2"]
    )
    func deadline(script: String) {
        let error = #expect(throws: SecretError.self) {
            try SecretCommand.output(["/bin/sh", "-c", script], within: .milliseconds(200))
        }
        #expect(error?.code == .timedOut)
    }

    @Test("a program that was stopped is waited for, so that nothing of it is left", .timeLimit(.minutes(1)))
    func reaped() throws {
        let workspace = Workspace()
        let note = workspace.path("pids")
        var (limit, noted) = (Duration.milliseconds(500), "")
        // One that was stopped before it came to that has noted nothing, and the next has longer.
        while !noted.hasSuffix("\n") {
            #expect(throws: SecretError.self) {
                try SecretCommand.output(
                    ["/bin/sh", "-c", "sleep 600 & echo $$ $! > \(note); wait"],
                    within: limit
                )
            }
            noted = (try? String(contentsOfFile: note, encoding: .utf8)) ?? ""
            limit *= 2
        }
        let pids = noted.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
        #expect(pids.count == 2)
        let program = try #require(pids.first)
        // Stopped alone it would be our zombie, which can be signalled still.
        #expect(kill(program, 0) == -1 && errno == ESRCH)
    }
}
