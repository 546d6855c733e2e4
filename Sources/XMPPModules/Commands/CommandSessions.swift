public import XMPPCore

/// The runs of commands that others have begun on the account: a machine, driven by requests, answers and time.
///
/// A run belongs to the full address that began it. What nobody goes on with expires; ``limit`` bounds all of them together,
/// ``limitOfOne`` those of one bare address.
public struct CommandSessions {
    /// Most runs at a time.
    public static let limit = 64
    /// Most runs at a time of one bare address.
    public static let limitOfOne = 4
    /// Most stages of a run.
    public static let stageLimit = 32
    /// After so long a run that nobody goes on with has expired.
    public static let patience = Duration.seconds(600)
    /// So many expired ones are still known as such.
    private static let expiredLimit = 64

    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Answer the request with this.
        case answer(CommandResponse)
        /// Refuse the request.
        case refuse(CommandRefusal)
        /// Let the command work; what it says goes to ``answered(_:by:at:)``, and the request is answered by that.
        case call(CommandCall)
    }

    private struct Run {
        let node: String
        let requester: JID
        var answers: [DataForm] = []
        /// The form of the present stage, and what may be done with it; nil while the command works.
        var stage: (form: DataForm, actions: CommandActions)?
        /// The stage that a command which refuses what was filled in goes back to.
        var before: (form: DataForm, actions: CommandActions)?
        var lastUse: Duration
    }

    private var runs: [String: Run] = [:]
    private var expired: [String] = []

    /// None.
    public init() {}

    /// How many are under way.
    public var count: Int { runs.count }

    /// Whether that run is under way.
    public func has(_ session: String) -> Bool { runs[session] != nil }

    // MARK: Events

    /// Somebody wants something.
    ///
    /// - Parameters:
    ///   - request: What.
    ///   - requester: Who, by the full address.
    ///   - mayRun: Whether the command is there, and this one may run it; nil where there is none.
    ///   - id: A new id that nobody can guess, should a run begin.
    ///   - now: Monotonic time.
    /// - Returns: What is to be done.
    public mutating func requested(
        _ request: CommandRequest, by requester: JID, mayRun: Bool?, id: String, at now: Duration
    ) -> Action {
        expire(at: now)
        guard let mayRun else { return .refuse(.unknown) }
        guard mayRun else { return .refuse(.forbidden) }
        guard let action = request.action else { return .refuse(.malformedAction) }
        guard let session = request.session else {
            return action == .execute ? begin(request, requester, id, now) : .refuse(.badAction)
        }
        guard var run = runs[session], run.requester == requester, sameBytes(run.node, request.node) else {
            return .refuse(expired.contains { sameBytes($0, session) } ? .expired : .badSession)
        }
        run.lastUse = now
        runs[session] = run
        if action == .cancel {
            runs[session] = nil
            return .answer(CommandResponse(node: run.node, session: session, status: .canceled))
        }
        // It works still: one step at a time.
        guard let stage = run.stage else { return .refuse(.badAction) }
        let meant = action == .execute ? stage.actions.execute : action
        guard stage.actions.allowed.contains(meant) else { return .refuse(.badAction) }
        return go(meant, request, stage, session, run)
    }

    /// A command said what is next of a run.
    ///
    /// - Returns: What answers the request that the command was called for; nil where the run is over.
    public mutating func answered(_ answer: CommandAnswer, by session: String, at now: Duration) -> Action? {
        guard var run = runs[session], run.stage == nil else { return nil }
        run.lastUse = now
        var result = CommandResponse(node: run.node, session: session, status: .completed)
        switch answer {
        case .ask(let form, let actions, let notes):
            (run.stage, run.before) = ((form, actions), nil)
            runs[session] = run
            (result.status, result.form, result.notes) = (.executing, form, notes)
            // Without them there is one stage only (XEP-0050 section 3.4).
            result.actions = actions == .only ? nil : actions
        case .done(let form, let notes):
            runs[session] = nil
            (result.form, result.notes) = (form, notes)
        case .failed(let text):
            runs[session] = nil
            result.notes = [CommandNote(text, kind: .error)]
        case .refused(let text):
            guard let stage = run.before else {
                runs[session] = nil
                return .refuse(.badPayload(text))
            }
            (run.stage, run.before) = (stage, nil)
            run.answers = Array(run.answers.dropLast())
            runs[session] = run
            return .refuse(.badPayload(text))
        }
        return .answer(result)
    }

    /// Somebody is gone, and with them what they had begun.
    ///
    /// - Parameter requester: A full address, or a bare one for all of them.
    public mutating func gone(_ requester: JID) {
        guard !runs.isEmpty else { return }
        runs = runs.filter { $0.value.requester != requester && JID($0.value.requester.bare) != requester }
    }

    // MARK: Steps

    private mutating func begin(
        _ request: CommandRequest, _ requester: JID, _ id: String, _ now: Duration
    ) -> Action {
        guard runs.values.count(where: { $0.requester.bare == requester.bare }) < Self.limitOfOne else {
            return .refuse(.tooMany)
        }
        guard runs.count < Self.limit, runs[id] == nil else { return .refuse(.busy) }
        runs[id] = Run(node: request.node, requester: requester, lastUse: now)
        return .call(CommandCall(node: request.node, requester: requester, session: id, answers: []))
    }

    private mutating func go(
        _ action: CommandAction, _ request: CommandRequest, _ stage: (form: DataForm, actions: CommandActions),
        _ session: String, _ run: Run
    ) -> Action {
        var run = run
        if action == .previous {
            guard !run.answers.isEmpty else { return .refuse(.badAction) }
            // The form of the stage before is shown again, by the answers before it.
            run.answers.removeLast()
            (run.before, run.stage) = (nil, nil)
        } else {
            guard run.answers.count < Self.stageLimit, !request.isFormFaulty else { return .refuse(.badPayload()) }
            // One that is cancelled is as one that is submitted; without one everything stays as it was offered.
            let submitted = request.form ?? DataForm(.submit)
            switch submitted.kind {
            case .submit, .cancel: break
            case .form, .result: return .refuse(.badPayload())
            }
            do {
                run.answers.append(try stage.form.filled(in: submitted))
            } catch {
                return .refuse(.badPayload(error.description))
            }
            (run.before, run.stage) = (stage, nil)
        }
        runs[session] = run
        return .call(
            CommandCall(
                node: run.node, requester: run.requester, session: session, answers: run.answers,
                isCompletion: action == .complete))
    }

    private mutating func expire(at now: Duration) {
        let old = runs.filter { now - $0.value.lastUse >= Self.patience }.keys
        guard !old.isEmpty else { return }
        for session in old { runs[session] = nil }
        expired = (expired + old.sorted()).suffix(Self.expiredLimit)
    }
}
