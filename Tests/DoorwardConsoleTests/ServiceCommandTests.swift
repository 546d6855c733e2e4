import Testing
import XMPPTransport

@testable import DoorwardConsole

@Suite("What a service command prints")
struct ServiceCommandTests {
    @Test("a role that is too low: one line of words, and with --json an array too", arguments: [false, true])
    func roleTooLow(json: Bool) throws {
        let error = "'accept' needs the role operator; ben has viewer"
        let data = JSONValue.array([1, 2].map { AnswerReport.unknown($0, error) })
        let printed = Locked<(output: String, errors: String)>(("", ""))
        let output = Output(width: 80, colours: false) { text, isError in
            printed.withLock { if isError { $0.errors += text } else { $0.output += text } }
        }
        guard case .run(let invocation) = try CommandLineParser.parse(["accept", "1", "2"] + (json ? ["--json"] : []))
        else { throw CancellationError() }
        ServiceCommand(.accept, output: output, now: Samples.now)
            .print(CommandResult(.refused, data: data, error: error), invocation)
        #expect(printed.withLock { $0.errors } == "doorward: \(error)\n")
        #expect(printed.withLock { $0.output.isEmpty } == !json)
        #expect(printed.withLock { $0.output.hasPrefix("[") } == json)
    }
}
