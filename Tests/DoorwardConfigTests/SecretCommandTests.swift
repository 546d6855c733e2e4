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
}
