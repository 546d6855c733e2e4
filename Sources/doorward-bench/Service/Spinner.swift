import Glibc
import XMPPClient
import XMPPCore

/// `modules: { spinner: { spins: true } }`: a module whose first event never comes back, or one that does nothing.
struct Spinner: XMPPModule {
    struct Settings: Decodable, Sendable {
        var spins: Bool
    }

    static let name = "spinner"
    static let interests: ModuleInterests = [.decisions]

    private let spins: Bool

    init(settings: Settings) { spins = settings.spins }

    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        guard spins else { return }
        // Keeps its thread, and the processor under it, for ever. A call, since the compiler leaves out a loop that does
        // nothing; it is never negative (rand(3)).
        while rand() >= 0 {}
    }
}
