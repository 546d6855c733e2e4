import XMPPClient
import XMPPCore

/// Commands with forms.
extension BotServices {
    /// Brings the list of commands into line with the modules that run.
    func offerCommands() {
        let reach = Reach(self)
        var offered: [AdHocCommand] = []
        for entry in inOrder {
            let name = entry.name
            for command in entry.declared.commands {
                guard !offered.contains(where: { sameBytes($0.node, command.node) }) else { continue }
                offered.append(
                    AdHocCommand(
                        command.node, name: command.name,
                        mayRun: { reach.services?.isAllowed($0, command.audience) ?? false },
                        handler: { call, answer in
                            guard let services = reach.services else { return answer(.failed(Self.outOfOrder)) }
                            services.take(call, by: name, answer)
                        }))
            }
        }
        commands.offer(offered)
    }

    private static let outOfOrder = "This does not work at the moment; try later."

    private func take(_ call: CommandCall, by name: String, _ answer: @escaping (CommandAnswer) -> Void) {
        guard let entry = entry(name) else { return answer(.failed(Self.outOfOrder)) }
        lastStep &+= 1
        let step = lastStep
        steps[step] = answer
        let values = call.answers.last?.fields.flatMap { [$0.name ?? ""] + $0.values } ?? []
        host.call(
            entry.running,
            ModuleCall(
                digest: ModuleCall.digest(
                    "command", call.node, call.requester.bare.description, values.joined(separator: "\n")),
                dropped: { ($0 as? BotServices)?.answered(.failed(Self.outOfOrder), to: step) },
                perform: { module, context in
                    do {
                        guard let provider = module as? any CommandProvider else { return }
                        let said = try await provider.answer(call, in: context)
                        await context.withCompanion(BotServices.self) { $0.answered(said, to: step) }
                    } catch {
                        await context.withCompanion(BotServices.self) {
                            $0.answered(.failed("It did not work."), to: step)
                        }
                        throw error
                    }
                }))
    }

    private func answered(_ answer: CommandAnswer, to step: UInt64) { steps.removeValue(forKey: step)?(answer) }
}

/// The way from a command to the services; used on their loop only, where commands are called.
private struct Reach: @unchecked Sendable {
    // Unchecked because the reference is followed on the loop alone.
    private(set) weak var services: BotServices?

    init(_ services: BotServices) { self.services = services }
}
