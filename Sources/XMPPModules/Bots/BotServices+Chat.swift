import XMPPClient
import XMPPCore

/// Commands in chat: one table for all modules of the account.
extension BotServices {
    /// Whether a message is a command, or was meant as one; then it is answered.
    func takesCommand(_ message: Message, of contact: ModuleContact?) -> Bool {
        switch message.type {
        case .chat, .normal: break
        case .groupchat, .headline, .error: return false
        }
        // An answer is no command: what two bots say to each other as answers ends there.
        guard let sender = message.from?.bare, isAllowed(sender, .contacts), !message.isReply, let body = message.body,
            body.utf8.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "/")
        else { return false }
        let providers = inOrder.filter { !$0.declared.chatCommands.isEmpty }
        guard !providers.isEmpty else { return false }
        // What the sender may use, each word once: of two modules that have it the first answers.
        var usable: [(owner: Entry, command: ChatCommand)] = []
        for provider in providers {
            for command in provider.declared.chatCommands where isAllowed(sender, command.audience) {
                guard !usable.contains(where: { sameBytes($0.command.word, command.word) }) else { continue }
                usable.append((provider, command))
            }
        }
        let table = ChatCommands(
            usable.map { ChatCommands.Entry($0.command.word, arguments: $0.command.arguments, help: $0.command.help) })
        let reading = table.read(body, from: sender)
        if case .text = reading { return false }
        // Taken all the same: too much is answered by nothing, and by nobody else.
        guard let now = host.session?.now, chatLimit.allows(sender, at: now) else { return true }
        switch reading {
        case .text: return false
        case .answer(let text): reply(to: message, with: text)
        case .command(let word, let arguments):
            guard let owner = usable.first(where: { sameBytes($0.command.word, word) })?.owner else { return false }
            call(owner, ChatCommandCall(word: word, arguments: arguments, message: message, contact: contact))
        }
        return true
    }

    private func call(_ owner: Entry, _ call: ChatCommandCall) {
        let digest = ModuleEvent.message(call.message, from: nil).digest
        host.call(
            owner.running,
            ModuleCall(
                digest: digest,
                dropped: { companion in
                    guard let services = companion as? BotServices else { return }
                    services.reply(to: call.message, with: "/\(call.word) does not work at the moment; try later.")
                },
                perform: { module, context in
                    guard let provider = module as? any ChatCommandProvider else { return }
                    do {
                        guard let text = try await provider.answer(call, in: context) else { return }
                        try await context.reply(to: call.message, with: text)
                    } catch {
                        // Whoever asked is told, whoever runs the bot sees why.
                        _ = try? await context.reply(to: call.message, with: "/\(call.word) did not work.")
                        throw error
                    }
                }))
    }

    private func reply(to message: Message, with text: String) {
        guard let id = host.session?.makeID(), let reply = Message(replyTo: message, body: text, id: id) else { return }
        host.send([reply.element])
    }
}
