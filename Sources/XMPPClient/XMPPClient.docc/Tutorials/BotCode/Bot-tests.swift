import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@testable import WeatherBot

struct WeatherModuleTests {
    @Test func answersContactsAndNobodyElse() async throws {
        let ann = try JID("ann@example.net/phone")
        let bench = try await ModuleBench(
            WeatherModule.self, settings: .init(greeting: "Hello {name}"),
            contacts: [ServerRosterItem(ann.bare, subscription: "both", name: "Ann")])
        await bench.hear("hi", from: ann)
        await bench.hear("hi", from: try JID("eve@example.net/x"))
        #expect(bench.said.map(\.body) == ["Hello Ann (1)"])
        await bench.end()
    }
}
