import Testing
import XMPPTransport

@testable import DoorwardConsole

@Suite("What a service command prints")
struct ServiceCommandTests {
    private func printed(_ line: [String], _ result: CommandResult) throws -> (output: String, errors: String) {
        let printed = Locked<(output: String, errors: String)>(("", ""))
        let output = Output(width: 80, colours: false) { text, isError in
            printed.withLock { if isError { $0.errors += text } else { $0.output += text } }
        }
        guard case .run(let invocation) = try CommandLineParser.parse(line + ["--json"]) else {
            throw CancellationError()
        }
        let verb = try #require(invocation.command.verb)
        ServiceCommand(verb, output: output, now: Samples.now).print(result, invocation)
        return printed.withLock { $0 }
    }

    @Test(
        "every command that prints data has its error in it",
        arguments: CommandTable.commands.filter { $0.printsData && $0.verb != nil }.map(\.name))
    func errors(name: String) throws {
        let command = try #require(CommandTable.serviceCommand(named: name))
        let line = command.words + command.arguments.filter(\.count.isNeeded).map { _ in "7" }
        let bare = try printed(line, .refused("no \"such\" account"))
        #expect(try JSONReader.read(Array(bare.output.utf8))["error"] == .string("no \"such\" account"))
        #expect(bare.errors == "doorward: no \"such\" account\n")
        let known = try printed(line, CommandResult(.refused, data: .object(["account": .string("a")]), error: "no"))
        #expect(try JSONReader.read(Array(known.output.utf8)).oneLine == #"{"account":"a","error":"no"}"#)
        let own = JSONValue.object(["error": .string("its own")])
        let said = try printed(line, CommandResult(.refused, data: own, error: "no"))
        #expect(try JSONReader.read(Array(said.output.utf8)) == own)
        #expect(try printed(line, CommandResult(data: .null)).output.isEmpty)
    }

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
