import DoorwardConfig
import DoorwardRuntime
import Testing

@testable import DoorwardConsole

/// What contacts and their groups may be called.
@Suite("Names of contacts and groups") struct ContactNameTests {
    private let ana = Caller(name: "ana", role: .operator)

    private func perform(_ command: String, _ arguments: JSONValue) async -> (CommandResult, [String]) {
        let service = FakeService()
        let model = CommandModel(service: service) { Samples.now }
        var members: JSONValue = .object([
            "account": .string("support@doorward.test"), "contact": .string("ann@example.test"),
        ])
        for member in arguments.members ?? [] { members = members.adding(member.key, member.value) }
        return (await model.perform(command, arguments: members, by: ana), await service.orders)
    }

    /// Each place where a new name or group is given.
    private func places(_ text: String) -> [(String, JSONValue, what: String)] {
        [
            ("contact add", .object(["name": .string(text)]), "the name"),
            ("contact rename", .object(["name": .string(text)]), "the name"),
            ("contact add", .object(["groups": .strings([text])]), "a group"),
            ("contact group", .object(["add": .strings([text])]), "a group"),
        ]
    }

    @Test(
        "a character that nobody sees is refused by its code, wherever a name or a group is given",
        arguments: [
            ("A\u{202E}nn", "U+202E"), ("\u{2066}Ann", "U+2066"), ("Ann\u{200B}", "U+200B"), ("A\u{FEFF}nn", "U+FEFF"),
            ("A\u{2028}nn", "U+2028"), ("A\u{E0041}nn", "U+E0041"), ("A\u{AD}nn", "U+00AD"), ("A\u{85}nn", "U+0085"),
        ])
    func hidden(text: String, code: String) async {
        for (command, arguments, what) in places(text) {
            let (result, orders) = await perform(command, arguments)
            #expect(result.status == .usage && orders.isEmpty)
            #expect(result.error?.contains("\(what) has the invisible character \(code) in it") == true)
        }
    }

    @Test("the name in an invitation is held to the same", arguments: ["A\u{202E}nn", "A\u{7}", "\u{2066}"])
    func invitation(text: String) async {
        let model = CommandModel(service: FakeService()) { Samples.now }
        let arguments: JSONValue = .object([
            "account": .string("support@doorward.test"), "name": .string(text),
        ])
        let result = await model.perform("invite", arguments: arguments, by: ana)
        #expect(result.status == .usage && result.error?.contains("the name has ") == true, "\(result)")
    }

    @Test("a control character is said to be in the name or in a group, not in an argument of the service")
    func control() async {
        for (command, arguments, what) in places("A\u{7}") {
            let (result, orders) = await perform(command, arguments)
            #expect(result.status == .usage && orders.isEmpty)
            #expect(result.error?.contains("\(what) has a control character in it") == true)
        }
    }

    @Test(
        "names of people stay as they are, without the blanks around them",
        arguments: [
            ("  Ann B. ", "Ann B."), ("\u{3000}山田 太郎\u{A0}", "山田 太郎"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("❤\u{FE0F}", "❤\u{FE0F}"), ("e\u{301}", "e\u{301}"),
        ])
    func trimmed(text: String, kept: String) async {
        for (command, arguments, _) in places(text) {
            let (result, orders) = await perform(command, arguments)
            #expect(result.status == .done)
            #expect(orders.first?.contains("\"\(kept)\"") == true, "\(orders)")
        }
    }

    @Test("blanks alone are no name, and no group; out of a group one is taken whatever it is called")
    func blank() async {
        let (renamed, orders) = await perform("contact rename", .object(["name": .string("  ")]))
        #expect(renamed.status == .done && orders.first?.contains("nil") == true, "\(orders)")
        let (grouped, none) = await perform("contact group", .object(["add": .strings(["  "])]))
        #expect(grouped.status == .usage && none.isEmpty)
        let (removed, done) = await perform("contact group", .object(["remove": .strings([" \u{202E}x "])]))
        #expect(removed.status == .done && done.count == 1)
    }
}
