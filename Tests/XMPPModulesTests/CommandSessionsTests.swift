import Testing
import XMPPCore
import XMPPModules

/// The machine behind commands.
@Suite struct CommandSessionsTests {
    private static let form = DataForm(.form, fields: [.text("name", "Name", isRequired: true)])

    /// The machine, with what every test needs beside it.
    private final class Bench {
        var sessions = CommandSessions()
        var now = Duration.zero
        var lastID = 0
        let ann: JID

        init() throws { ann = try .of(.ann, "phone") }

        func ask(
            _ action: CommandAction? = .execute, _ session: String? = nil, _ form: DataForm? = nil,
            from sender: JID? = nil, node: String = "greet", mayRun: Bool? = true
        ) -> CommandSessions.Action {
            lastID += 1
            var request = CommandRequest(node: node, session: session, form: form)
            request.action = action
            return sessions.requested(request, by: sender ?? ann, mayRun: mayRun, id: "s\(lastID)", at: now)
        }

        /// Begins a run and brings it to its first form.
        func begun(_ actions: CommandActions) throws -> String {
            guard case .call(let call) = ask() else { throw Missing() }
            guard
                case .answer(let result)? = sessions.answered(
                    .ask(CommandSessionsTests.form, actions), by: call.session, at: now)
            else { throw Missing() }
            #expect(result.status == .executing && result.session == call.session)
            #expect(result.actions == (actions == .only ? nil : actions))
            return call.session
        }
    }

    private struct Missing: Error {}

    private static func name(_ name: String) -> DataForm {
        DataForm(.submit, fields: [FormField("name", values: [name])])
    }

    @Test("a command of one stage begins, asks, is filled in and done; what was begun is over then")
    func single() throws {
        let bench = try Bench()
        let session = try bench.begun(.only)
        guard case .call(let call) = bench.ask(.execute, session, Self.name("Bob")) else { throw Missing() }
        #expect(call.isCompletion && call.answers.map { $0.value("name") } == ["Bob"])
        let done = bench.sessions.answered(.done(notes: [CommandNote("Hello.")]), by: session, at: bench.now)
        #expect(
            done
                == .answer(
                    CommandResponse(
                        node: "greet", session: session, status: .completed, notes: [CommandNote("Hello.")])))
        #expect(bench.sessions.count == 0)
        #expect(bench.ask(.execute, session) == .refuse(.badSession))
    }

    @Test("several stages go forward and back, and each answer is there at the end")
    func several() throws {
        let bench = try Bench()
        let session = try bench.begun(.first)
        #expect(bench.ask(.previous, session) == .refuse(.badAction))
        #expect(bench.ask(.complete, session) == .refuse(.badAction))
        guard case .call(let second) = bench.ask(.next, session, Self.name("a")) else { throw Missing() }
        #expect(second.answers.count == 1 && !second.isCompletion)
        _ = bench.sessions.answered(.ask(Self.form, .last), by: session, at: bench.now)
        // What is filled in of the stage that is left does not count.
        guard case .call(let back) = bench.ask(.previous, session) else { throw Missing() }
        #expect(back.answers.isEmpty)
        _ = bench.sessions.answered(.ask(Self.form, .first), by: session, at: bench.now)
        guard case .call = bench.ask(.execute, session, Self.name("b")) else { throw Missing() }
        _ = bench.sessions.answered(.ask(Self.form, .last), by: session, at: bench.now)
        // In the last stage `execute` is what its stage says.
        guard case .call(let end) = bench.ask(.execute, session, Self.name("c")) else { throw Missing() }
        #expect(end.answers.map { $0.value("name") } == ["b", "c"] && end.isCompletion)
        let failed = bench.sessions.answered(.failed("No."), by: session, at: bench.now)
        #expect(
            failed
                == .answer(
                    CommandResponse(
                        node: "greet", session: session, status: .completed, notes: [CommandNote("No.", kind: .error)]))
        )
    }

    @Test("what is filled in wrongly is refused by the machine or by the command, and may be filled in again")
    func wrong() throws {
        let bench = try Bench()
        let session = try bench.begun(.only)
        for form in [nil, DataForm(.submit), Self.name(""), DataForm(.result), DataForm(.form)] {
            guard case .refuse(let refusal) = bench.ask(.execute, session, form) else { throw Missing() }
            #expect(refusal.detail == "bad-payload" && refusal.error.condition == .badRequest)
        }
        guard case .call = bench.ask(.execute, session, Self.name("Eve")) else { throw Missing() }
        let refused = bench.sessions.answered(.refused("Not Eve."), by: session, at: bench.now)
        #expect(refused == .refuse(.badPayload("Not Eve.")))
        guard case .call(let call) = bench.ask(.execute, session, Self.name("Bob")) else { throw Missing() }
        #expect(call.answers.count == 1)
        // A form that is cancelled is as one that is submitted.
        _ = bench.sessions.answered(.ask(Self.form), by: session, at: bench.now)
        guard case .call = bench.ask(.execute, session, DataForm(.cancel, fields: [FormField("name", values: ["x"])]))
        else { throw Missing() }
    }

    @Test("a run belongs to the client that began it, and to its command")
    func owner() throws {
        let bench = try Bench()
        let session = try bench.begun(.only)
        for stranger in [try JID.of(.ann, "laptop"), try .of(.eve, "phone"), JID(.ann)] {
            #expect(bench.ask(.execute, session, Self.name("x"), from: stranger) == .refuse(.badSession))
            #expect(bench.ask(.cancel, session, from: stranger) == .refuse(.badSession))
        }
        #expect(bench.ask(.execute, session, Self.name("x"), node: "other") == .refuse(.badSession))
        // Whoever may not any more is stopped at each stage.
        #expect(bench.ask(.execute, session, Self.name("x"), mayRun: false) == .refuse(.forbidden))
        #expect(bench.ask(.execute, session, Self.name("x"), mayRun: nil) == .refuse(.unknown))
        guard case .call = bench.ask(.execute, session, Self.name("x")) else { throw Missing() }
    }

    @Test("what makes no sense is refused as XEP-0050 has it")
    func nonsense() throws {
        let bench = try Bench()
        #expect(bench.ask(nil) == .refuse(.malformedAction))
        for action in [CommandAction.next, .previous, .complete, .cancel] {
            #expect(bench.ask(action) == .refuse(.badAction), "\(action)")
        }
        #expect(bench.ask(.execute, "nothing") == .refuse(.badSession))
        #expect(bench.ask(mayRun: nil) == .refuse(.unknown))
        #expect(bench.ask(mayRun: false) == .refuse(.forbidden))
        #expect(bench.sessions.count == 0)
        // One step at a time: the command works still.
        guard case .call(let call) = bench.ask() else { throw Missing() }
        #expect(bench.ask(.execute, call.session) == .refuse(.badAction))
        // To give up is always possible; what the command says then is too late.
        guard case .answer(let given) = bench.ask(.cancel, call.session) else { throw Missing() }
        #expect(given.status == .canceled)
        #expect(bench.sessions.answered(.done(), by: call.session, at: bench.now) == nil)
        #expect(bench.sessions.answered(.done(), by: "nothing", at: bench.now) == nil)
    }

    @Test("what nobody goes on with expires, and its owner is told so")
    func expiry() throws {
        let bench = try Bench()
        let session = try bench.begun(.only)
        bench.now += CommandSessions.patience - .seconds(1)
        #expect(bench.ask(.next, session) == .refuse(.badAction))
        bench.now += CommandSessions.patience - .seconds(1)
        #expect(bench.sessions.has(session))
        bench.now += .seconds(2)
        #expect(bench.ask(.execute, session, Self.name("x")) == .refuse(.expired))
        #expect(bench.sessions.count == 0)
        #expect(CommandRefusal.expired.error.condition == .notAllowed)
    }

    @Test("one address has few runs at a time, all together not many, and whoever is gone has none")
    func bounds() throws {
        let bench = try Bench()
        for number in 0..<CommandSessions.limitOfOne {
            guard case .call = bench.ask(from: try .of(.ann, "r\(number)")) else { throw Missing() }
        }
        #expect(bench.ask() == .refuse(.tooMany))
        var begun = CommandSessions.limitOfOne
        for number in 0..<200 {
            let other = try JID("u\(number)@example.org/x")
            if case .call = bench.ask(from: other) {
                begun += 1
            } else {
                #expect(bench.ask(from: other) == .refuse(.busy))
            }
        }
        #expect(begun == CommandSessions.limit && bench.sessions.count == begun)
        bench.sessions.gone(try .of(.ann, "r0"))
        #expect(bench.sessions.count == begun - 1)
        bench.sessions.gone(JID(.ann))
        #expect(bench.sessions.count == begun - CommandSessions.limitOfOne)
    }

    @Test("a run that goes back and forth for ever has a bound")
    func stages() throws {
        let bench = try Bench()
        let session = try bench.begun(.first)
        for _ in 0..<CommandSessions.stageLimit {
            guard case .call = bench.ask(.next, session, Self.name("x")) else { throw Missing() }
            _ = bench.sessions.answered(.ask(Self.form, .middle), by: session, at: bench.now)
        }
        #expect(bench.ask(.next, session, Self.name("x")) == .refuse(.badPayload()))
    }
}
