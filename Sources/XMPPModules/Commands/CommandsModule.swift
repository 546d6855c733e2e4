public import XMPPClient
public import XMPPCore
import XMPPCrypto

/// Lets others run commands on the account (XEP-0050), with forms where a command asks for something.
///
/// ``DiscoModule`` lists them, to each the ones that they may run. Whoever may not know that the account is online hears what
/// is heard of anything unknown.
public final class CommandsModule: SessionModule, DiscoNodes {
    private let mayKnow: (BareJID?) -> Bool
    private let makeID: () -> String
    private var commands: [AdHocCommand]
    private var sessions = CommandSessions()
    private var session: ModuleSession?
    /// Requests that a command works on, by the run.
    private var waiting: [String: IQ] = [:]

    /// A module.
    ///
    /// - Parameters:
    ///   - commands: In the order that lists show; of two with the same node the first one counts.
    ///   - mayKnow: Whether the sender may know that the account is online (``RosterModule/mayKnow(_:)``); nil is the
    ///     account's server.
    public init(_ commands: [AdHocCommand], mayKnow: @escaping (BareJID?) -> Bool) {
        self.commands = commands
        self.mayKnow = mayKnow
        makeID = { hexadecimal(randomBytes(16)) }
    }

    /// Has these commands from now on, instead of those that it had; runs of those that are gone end with their next step.
    public func offer(_ commands: [AdHocCommand]) { self.commands = commands }

    /// The namespace of XEP-0050.
    public var namespaces: [String] { [Namespace.commands] }

    /// How many runs are under way.
    public var runs: Int { sessions.count }

    /// What others had begun is over with the session that they began it in.
    public func began(_ session: ModuleSession) {
        self.session = session
        guard !session.isResumed else { return }
        sessions = CommandSessions()
        waiting = [:]
    }

    /// A step of a command.
    public func received(request: IQ) -> IQAnswer {
        guard mayKnow(request.from?.bare) else { return .error(.serviceUnavailable) }
        guard case .set = request.type, let payload = request.payload, let wanted = CommandRequest(payload),
            let requester = request.from ?? session?.address
        else { return .error(.badRequest) }
        let command = commands.first { sameBytes($0.node, wanted.node) }
        let action = sessions.requested(
            wanted, by: requester, mayRun: command?.mayRun(requester.bare), id: makeID(), at: session?.now ?? .zero)
        // Each request is answered, also one that a command never had an answer for.
        for run in waiting.keys where !sessions.has(run) {
            if let request = waiting.removeValue(forKey: run) { send(.refuse(.expired), to: request) }
        }
        guard case .call(let call) = action, let command else { return answer(action) }
        waiting[call.session] = request
        // Whether the answer is returned here, or sent later.
        var isReturning = true
        var returned: IQAnswer?
        command.handler(call) { [weak self] said in
            guard let self, let request = self.waiting[call.session],
                let action = self.sessions.answered(said, by: call.session, at: self.session?.now ?? .zero)
            else { return }
            self.waiting[call.session] = nil
            if isReturning { returned = self.answer(action) } else { self.send(action, to: request) }
        }
        isReturning = false
        return returned ?? .later
    }

    /// Who is gone goes on with nothing.
    public func received(presence: Presence) {
        switch presence.type {
        case .unavailable, .error:
            guard let from = presence.from else { return }
            sessions.gone(from)
            // Each request is answered, also one whose sender is gone; a server knows what to do with that.
            for (run, request) in waiting where request.from == from || request.from?.bare == from.bare {
                guard from.resource == nil || request.from == from else { continue }
                waiting[run] = nil
                send(.refuse(.expired), to: request)
            }
        case .available, .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .other: break
        }
    }

    private func answer(_ action: CommandSessions.Action) -> IQAnswer {
        switch action {
        case .answer(let result):
            return .result(result.element)
        case .refuse(let refusal): return .refused(refusal.error, detail: refusal.element)
        case .call: return .later
        }
    }

    private func send(_ action: CommandSessions.Action, to request: IQ) {
        let stanza: Element
        switch action {
        case .answer(let result): stanza = request.result(result.element)
        case .refuse(let refusal): stanza = refusal.error.reply(to: request, detail: refusal.element)
        case .call: return
        }
        // Without a session nobody waits for it.
        try? session?.send([stanza])
    }

    // MARK: What discovery shows

    /// The list of commands, and each of them.
    public func info(node: String, for sender: JID?) -> DiscoInfo? {
        if sameBytes(node, Namespace.commands) {
            return DiscoInfo(
                identities: [.init("automation", "command-list")], features: [Namespace.commands])
        }
        guard let command = visible(to: sender).first(where: { sameBytes($0.node, node) }) else { return nil }
        return DiscoInfo(
            identities: [.init("automation", "command-node", name: command.name)],
            features: [Namespace.commands, Namespace.dataForms])
    }

    /// The commands that somebody may run.
    public func items(node: String?, for sender: JID?) -> [DiscoItem]? {
        guard let node, let address = session?.address else { return nil }
        if sameBytes(node, Namespace.commands) {
            return visible(to: sender).map { DiscoItem(jid: address.description, node: $0.node, name: $0.name) }
        }
        return visible(to: sender).contains { sameBytes($0.node, node) } ? [] : nil
    }

    private func visible(to sender: JID?) -> [AdHocCommand] {
        guard let sender = (sender ?? session?.address)?.bare else { return [] }
        return commands.filter { $0.mayRun(sender) }
    }
}
