import Testing

@testable import DoorwardConfig

@Suite struct SecretCommandTests {
    @Test(
        "a program that does not end in time is stopped, with its children",
        arguments: ["sleep 60", "echo hunter2; exec >&-; sleep 60", "sleep 60 & echo hunter2"]
    )
    func deadline(script: String) {
        let clock = ContinuousClock()
        let time = clock.measure {
            let error = #expect(throws: SecretError.self) {
                try SecretCommand.output(["/bin/sh", "-c", script], within: .milliseconds(200))
            }
            #expect(error?.code == .timedOut)
        }
        #expect(time < .seconds(5))
    }
}
