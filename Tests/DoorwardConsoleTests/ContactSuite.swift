import DoorwardConfig
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@testable import DoorwardConsole

/// What the tests of commands about contacts have in common.
protocol ContactSuite {}

extension ContactSuite {
    var ana: Caller { Caller(name: "ana", role: .operator) }
    var account: BareJID { Samples.jid("support@doorward.test") }

    func model(_ service: FakeService) -> CommandModel { CommandModel(service: service) { Samples.now } }

    func arguments(_ line: String) throws -> JSONValue {
        guard case .run(let invocation) = try CommandLineParser.parse(line.split(separator: " ").map(String.init))
        else {
            return .null
        }
        return .object(try #require(invocation.command.verb).arguments(invocation))
    }

    func item(_ name: String, _ called: String? = nil, groups: [String] = []) -> RosterSnapshot.Item {
        .init(jid: Samples.jid(name), name: called, subscription: "both", asked: false, groups: groups)
    }
}
