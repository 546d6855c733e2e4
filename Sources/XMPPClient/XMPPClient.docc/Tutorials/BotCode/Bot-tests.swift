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
        #expect(bench.said.map(\.body) == ["Hello Ann"])
        await bench.hear("/count", from: ann)
        #expect(bench.said.last?.body == "I was greeted 1 times.")
        await bench.end()
    }
}
