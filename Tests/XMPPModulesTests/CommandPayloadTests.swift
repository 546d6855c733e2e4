import Testing
import XMPPCore
import XMPPModules

/// Commands as elements, and the side that runs them.
@Suite struct CommandPayloadTests {
    @Test("requests and answers are read as they were written")
    func roundTrip() throws {
        let form = DataForm(.submit, fields: [FormField("a", values: ["b"])])
        for action in CommandAction.allCases {
            let request = CommandRequest(node: "n", session: "s", action: action, form: form)
            #expect(CommandRequest(request.element) == request)
        }
        let result = CommandResponse(
            node: "n", session: "s", status: .executing, actions: .middle, form: DataForm(.form),
            notes: [CommandNote("careful", kind: .warn)])
        #expect(CommandResponse(result.element) == result)
        #expect(try CommandRequest(xml("<command xmlns='http://jabber.org/protocol/commands'/>")) == nil)
    }

    @Test("a word that is no action, and a form that is none, are told")
    func faulty() throws {
        let request = try #require(
            CommandRequest(
                xml(
                    """
                    <command xmlns='http://jabber.org/protocol/commands' node='n' action='explode'>\
                    <x xmlns='jabber:x:data' type='nonsense'/></command>
                    """)))
        #expect(request.action == nil && request.form == nil && request.isFormFaulty)
    }

    @Test(
        "what `execute` means is what the answer says, where that is possible",
        arguments: [
            ("execute='complete'><next/><complete/>", CommandAction.complete, 2), ("><next/>", .next, 1),
            ("execute='complete'><next/>", .next, 1), ("execute='prev'><prev/><complete/>", .previous, 2),
            ("execute='boom'><complete/>", .complete, 1), ("><x/>", .complete, 1), ("execute='cancel'>", .complete, 1),
        ])
    func actions(inner: String, execute: CommandAction, count: Int) throws {
        let result = try #require(
            CommandResponse(
                xml(
                    """
                    <command xmlns='http://jabber.org/protocol/commands' node='n' sessionid='s' status='executing'>\
                    <actions \(inner)</actions></command>
                    """)))
        #expect(result.actions?.execute == execute && result.actions?.allowed.count == count)
    }

    @Test("the side that runs a command keeps to its session and to what the stage allows")
    func requester() throws {
        var command = RequestedCommand(node: "n")
        #expect(command.step(.execute) == nil)
        #expect(CommandRequest(command.begin()) == CommandRequest(node: "n"))
        let first = CommandResponse(
            node: "n", session: "s", status: .executing, actions: .first,
            form: DataForm(.form, fields: [.text("a", "A")]))
        var other = first
        other.node = "m"
        var isTaken = command.received(other.element)
        #expect(!isTaken && command.status == nil)
        isTaken = command.received(first.element)
        #expect(isTaken)
        other = first
        other.session = "another"
        isTaken = command.received(other.element)
        #expect(!isTaken)
        #expect(command.step(.previous) == nil && command.step(.complete) == nil)
        let step = try #require(command.step(.next, command.form?.submission(["a": ["b"]])))
        #expect(CommandRequest(step)?.session == "s" && CommandRequest(step)?.form?.value("a") == "b")
        isTaken = command.received(CommandResponse(node: "n", session: "s", status: .completed).element)
        #expect(isTaken && command.step(.cancel) == nil && command.status == .completed)
    }
}
