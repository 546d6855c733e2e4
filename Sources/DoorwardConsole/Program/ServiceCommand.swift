import XMPPCore

/// A command that asks the running service: request out, answer in, printed as words or as the contract's data.
struct ServiceCommand {
    private let verb: ServiceVerb
    private let output: Output
    private let now: Timestamp

    init(_ verb: ServiceVerb, output: Output, now: Timestamp) {
        self.verb = verb
        self.output = output
        self.now = now
    }

    func run(_ invocation: Invocation) throws(UsageError) -> ProgramStatus {
        let arguments = JSONValue.object(try verb.arguments(invocation))
        let file = try ConfigurationFile(invocation)
        let result: CommandResult
        do throws(ControlClient.Failure) {
            let client = try connect(file, saysDemo: !invocation.json)
            result = try client.ask(invocation.command.name, arguments: arguments)
        } catch {
            if invocation.json { output.json(Self.failure(error.text.rendered(colours: false))) }
            output.error(error.text)
            return error.status
        }
        let shown = verb.received(result, invocation)
        print(shown, invocation)
        return shown.status
    }

    private func connect(
        _ file: ConfigurationFile, saysDemo: Bool
    ) throws(ControlClient.Failure) -> ControlClient {
        let named: String?
        do throws(ControlSocketLocator.Unreadable) { named = try ControlSocketLocator.named(file) } catch {
            throw ControlClient.Failure(status: .usage, text: error.text)
        }
        guard let path = named else {
            if let demo = demo(file, says: saysDemo) { return demo }
            throw ControlClient.Failure(
                status: .usage,
                text: "\(file.path) names no control socket, such as 'control: var/doorward.sock'"
            )
        }
        do throws(ControlClient.Failure) { return try ControlClient(path: path) } catch {
            guard error.status == .notRunning, let demo = demo(file, says: saysDemo) else { throw error }
            return demo
        }
    }

    /// The running demo, where there is one: a second terminal need not know of its overlay.
    ///
    /// - Parameters:
    ///   - file: The configuration, which says where a demo would be.
    ///   - says: Whether a person is told whom is asked; a program that reads data is not.
    /// - Returns: A connection to it.
    private func demo(_ file: ConfigurationFile, says: Bool) -> ControlClient? {
        for path in ControlSocketLocator.demo(file) {
            guard let client = try? ControlClient(path: path) else { continue }
            if says { output.error("asking the demo, which listens at \(path)") }
            return client
        }
        return nil
    }

    func print(_ result: CommandResult, _ invocation: Invocation) {
        if invocation.json {
            if let data = Self.data(of: result) { output.json(data) }
        } else {
            output.lines(words(result, invocation))
        }
        guard let error = result.error else { return }
        // One line for each request that was refused says more than how many there were, unless all say the same.
        let refusals = DeskRenderer(now: now, width: output.width).refusals(result.data)
        if refusals.allSatisfy({ $0 == TerminalText(error) }) {
            output.error("\(error)")
        } else {
            refusals.forEach(output.error)
        }
    }

    /// What is printed as data: where something was refused, the error is in it, so that a script need not read words.
    ///
    /// Rows of a list have their own.
    static func data(of result: CommandResult) -> JSONValue? {
        guard let error = result.error else { return result.data.isNull ? nil : result.data }
        switch result.data {
        case .null: return failure(error)
        case .object(let members) where !members.contains { $0.key.utf8.elementsEqual("error".utf8) }:
            return result.data.adding("error", .string(error))
        case .object, .array, .bool, .integer, .number, .string: return result.data
        }
    }

    /// All there is to say where nothing could be asked.
    static func failure(_ error: String) -> JSONValue { .object(["error": .string(error)]) }

    private func words(_ result: CommandResult, _ invocation: Invocation) -> [TerminalText] {
        guard result.status == .done || verb.hasWordsForRefusals else { return [] }
        return verb.words(
            ServiceAnswer(
                status: result.status, data: result.data, invocation: invocation, output: output, now: now))
    }
}
