/// What a bot author writes: code of an account that hears what happens to it, and acts.
///
/// ```swift
/// struct Echo: XMPPModule {
///     static let name = "echo"
///     static let interests: ModuleInterests = [.messages]
///     init(settings: NoSettings) {}
///     func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
///         guard case .message(let message, _) = event, let body = message.body else { return }
///         try await context.reply(to: message, with: body)
///     }
/// }
/// ```
///
/// Each account that names the module has an instance of its own, from its first session until the module is taken out or
/// the account ends; it outlives lost connections. It runs beside the event loops, on threads of its own kind: one call of
/// ``handle(_:in:)`` after the other, in the order of the stream. What arrives meanwhile waits, at most
/// ``ModuleContext/inboxLimit`` events, of which the oldest give way and are counted. A call that has not returned within
/// five seconds closes the inbox until it does: the account goes on without the module, and `status` shows it as stuck. A
/// trap ends the whole process, as everywhere in Swift.
public protocol XMPPModule: Sendable {
    /// What the configuration says of it; ``NoSettings`` where nothing is to be said.
    ///
    /// Its decoder knows places: an error that it throws is shown with file, line and column.
    associatedtype Settings: Decodable & Sendable = NoSettings

    /// How the configuration names it: letters, digits, `-` and `_`.
    static var name: String { get }

    /// What it wants to hear of.
    static var interests: ModuleInterests { get }

    /// The namespaces of the requests (IQ) that it answers; none where nothing is said.
    ///
    /// Of two modules that name the same one the first answers, and what the account answers itself comes before all.
    static var namespaces: [String] { get }

    /// What service discovery announces of it (XEP-0030); its namespaces where nothing else is said.
    static var features: [String] { get }

    /// Makes the instance of one account; called once, outside the event loops.
    ///
    /// - Throws: Whatever keeps it from working: then the account runs without it, and an alert says so.
    init(settings: Settings) throws

    /// Something happened that ``interests`` and ``namespaces`` name; nothing is done where nothing is said.
    ///
    /// - Throws: What it throws is counted and logged, and the next event comes all the same.
    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws

    /// Its own life beside the events: what it does by the clock, say.
    ///
    /// Called once behind `init`. Returning early is no fault; an error is counted and logged. Its task is cancelled before
    /// ``stop(in:)``.
    func run(in context: ModuleContext) async throws

    /// The last call: the account ends, or does without the module from now on.
    ///
    /// Where there is a session it can say a last word: the account's session is closed behind it. It has as long as an event
    /// has.
    func stop(in context: ModuleContext) async
}

extension XMPPModule {
    /// Answers no requests.
    public static var namespaces: [String] { [] }
    /// What it answers.
    public static var features: [String] { namespaces }
    /// Hears nothing.
    public func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {}
    /// Has no life of its own.
    public func run(in context: ModuleContext) async throws {}
    /// Leaves nothing behind.
    public func stop(in context: ModuleContext) async {}
}

/// The settings of a module that has none: an empty map, or nothing at all.
public struct NoSettings: Decodable, Hashable, Sendable {
    /// Nothing.
    public init() {}
}
