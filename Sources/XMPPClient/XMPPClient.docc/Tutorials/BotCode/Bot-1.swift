import XMPPClient
import XMPPCore

/// Answers contacts who say hello.
struct WeatherModule: XMPPModule {
    /// What bot.yaml says of it; what has a `?` may be left out.
    struct Settings: Decodable {
        var greeting: String
        var limit: UInt16?
    }

    static let name = "weather"
    static let interests: ModuleInterests = [.messages]

    private let settings: Settings

    init(settings: Settings) {
        self.settings = settings
    }

    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
    }
}
