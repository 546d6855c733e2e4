import Testing
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// What is over is let go of.
@Suite struct ReleaseTests {
    private final class Watched {
        weak var loop: EventLoop?
        weak var service: Service?
        weak var server: ScriptedServer?
    }

    @Test(
        "a service that has stopped is held by nobody, nor are its accounts, connections and loops",
        .timeLimit(.minutes(1)))
    func service() async throws {
        let watched = Watched()
        try await inWorld { world in
            watched.loop = world.loop
            watched.service = world.service
            watched.server = world.server
            try await world.online()
        }
        // Threads let go of themselves last.
        while watched.loop != nil || watched.service != nil || watched.server != nil, !Task.isCancelled {
            await Task.yield()
        }
        #expect(watched.service == nil)
        #expect(watched.server == nil)
        #expect(watched.loop == nil)
    }
}
