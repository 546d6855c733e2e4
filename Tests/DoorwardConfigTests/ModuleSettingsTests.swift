import DoorwardConfig
import Foundation
import Testing

@Suite("The settings of modules")
struct ModuleSettingsTests {
    private struct Weather: Decodable, Hashable, Sendable {
        enum Unit: String, Decodable { case celsius, kelvin }
        struct Station: Decodable, Hashable {
            var name: String
            var height: Int?
        }

        var greeting: String
        var every: Duration?
        var unit: Unit?
        var stations: [Station]?
        var limits: [String: Double]?
        var isLoud: Bool?
        var count: UInt8?
        var total: Int?
        var port: UInt?
    }

    private struct Picky: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            guard try container.decode(String.self, forKey: .word) == "please" else {
                throw DecodingError.dataCorruptedError(forKey: .word, in: container, debugDescription: "say please")
            }
        }
        private enum Key: CodingKey { case word }
    }

    private struct None: Decodable, Sendable {}

    private static let registry = ModuleRegistry([
        .init(name: "weather") { try Weather(from: $0) }, .init(name: "picky") { try Picky(from: $0) },
        .init(name: "none") { try None(from: $0) },
    ])

    private func load(_ modules: String, _ own: String = "") throws -> (Workspace, LoadResult) {
        let workspace = Workspace()
        try workspace.writeRest(bot: false)
        try workspace.write(
            "bots/b/bot.yaml",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }\(own) } ]\nmodules: \(modules)\n"
        )
        let path = workspace.path("config/doorward.yaml")
        return (workspace, ConfigurationLoader.load(path: path, overlay: nil, modules: Self.registry))
    }

    @Test("become values: texts, numbers, durations, lists, maps and words of an enumeration")
    func values() throws {
        let (_, result) = try load(
            """
            { weather: { greeting: "Hi {name}", every: 5m, unit: kelvin, stations: [ { name: Top, height: 2962 }, { name: 7 } ],
              limits: { wind: 12.5, rain: 3 }, isLoud: true, count: 200 } }
            """)
        let module = try #require(result.configuration?.accounts.first?.modules.first, "\(result.faults)")
        #expect(module.name == "weather")
        let settings = try #require(module.settings as? Weather)
        #expect(
            settings
                == Weather(
                    greeting: "Hi {name}", every: .seconds(300), unit: .kelvin,
                    stations: [.init(name: "Top", height: 2962), .init(name: "7", height: nil)],
                    limits: ["wind": 12.5, "rain": 3], isLoud: true, count: 200))
    }

    @Test(
        "have faults with their places",
        arguments: [
            "{ ⟦DW095⟧wether: {} }", "{ weather: ⟦DW021⟧{} }", "{ weather: { ⟦DW020⟧greting: x } }",
            "{ weather: { greeting: x, ⟦DW020⟧evry: 5m } }", "{ weather: { greeting: ⟦DW023⟧[x] } }",
            "{ weather: { greeting: x, every: ⟦DW027⟧soon } }", "{ weather: { greeting: x, unit: ⟦DW096⟧fahrenheit } }",
            "{ weather: { greeting: x, stations: [ { name: a, ⟦DW020⟧heigth: 3 } ] } }",
            "{ weather: { greeting: x, stations: [ { name: a }, ⟦DW021⟧{ } ] } }",
            "{ weather: { greeting: x, stations: [ ⟦DW023⟧a ] } }", "{ weather: { greeting: x, stations: ⟦DW023⟧a } }",
            "{ weather: { greeting: x, isLoud: ⟦DW024⟧yes } }", "{ weather: { greeting: x, count: ⟦DW026⟧256 } }",
            "{ weather: { greeting: x, limits: { wind: ⟦DW023⟧strong } } }", "{ weather: ⟦DW023⟧x }",
            "{ weather: { greeting: x, total: ⟦DW026⟧99999999999999999999, port: ⟦DW026⟧-1 } }",
            "{ weather: { ⟦DW020⟧greting: x, every: ⟦DW027⟧soon, unit: ⟦DW096⟧red, count: ⟦DW026⟧256, ⟦DW020⟧isloud: true } }",
            "{ weather: { greeting: ⟦DW023⟧[x], stations: [ { name: ⟦DW023⟧[a], height: ⟦DW025⟧x }, ⟦DW021⟧{}, ⟦DW023⟧b ] } }",
            "{ weather: { greeting: x, limits: { wind: ⟦DW023⟧strong, rain: ⟦DW023⟧[] } }, picky: { ⟦DW020⟧wrd: please } }",
            "{ picky: { word: ⟦DW023⟧[] }, none: { ⟦DW020⟧x: 1, ⟦DW020⟧y: 2 } }",
            "{ picky: { word: ⟦DW096⟧now } }", "{ none: { ⟦DW020⟧x: 1 } }", "{ weather: ⟦DW023⟧[] }", "⟦DW023⟧[]",
        ])
    func faults(modules: String) throws {
        let (workspace, result) = try load(modules)
        #expect(
            workspace.findings(result.faults) == workspace.due.sorted(),
            "\(result.faults.map { $0.rendered() }.joined(separator: "\n"))")
        #expect(result.configuration == nil)
    }

    @Test("say what was meant, and what there is")
    func suggestions() throws {
        func first(_ modules: String) throws -> Fault? { try load(modules).1.faults.first }
        #expect(try first("{ wether: {} }")?.suggestion == "weather")
        #expect(
            try first("{ sun: {} }")?.message
                == "unknown module 'sun': this program has none, picky or weather")
        #expect(try first("{ weather: { greting: x } }")?.suggestion == "greeting")
        #expect(try first("{ weather: { greeting: x, evry: 5m } }")?.suggestion == "every")
        #expect(try first("{ picky: { word: now } }")?.message == "'word' in the settings of picky: say please")
    }

    @Test("say what is expected in their place")
    func expected() throws {
        func message(_ modules: String) throws -> String? { try load(modules).1.faults.first?.message }
        #expect(
            try message("{ weather: x }")
                == "the settings of weather must be a map of keys and values, such as { key: value }; this is a text")
        #expect(
            try message("{ weather: { greeting: x, stations: a } }")
                == "'stations' must be a list, such as [first, second]; this is a text")
        for written in ["\"true\"", "'false'"] {
            let fault = try load("{ weather: { greeting: x, isLoud: \(written) } }").1.faults.first
            #expect(
                fault?.suggestion == nil && fault?.message.contains("needs a boolean: take the quotes away") == true)
        }
        #expect(try load("{ weather: { greeting: x, isLoud: \"tru\" } }").1.faults.first?.suggestion == "true")
    }

    @Test("a text may stand without quotes whatever it looks like; a number says what it may be")
    func words() throws {
        for (written, read) in [("3", "3"), ("true", "true"), ("1.50", "1.50"), ("\"null\"", "null")] {
            let (_, result) = try load("{ weather: { greeting: \(written) } }")
            let settings = result.configuration?.accounts.first?.modules.first?.settings as? Weather
            #expect(settings?.greeting == read)
        }
        func message(_ setting: String) throws -> String? {
            try load("{ weather: { greeting: x, \(setting) } }").1.faults.first?.message
        }
        #expect(try message("count: 256") == "'count' is from 0 to 255; this is '256'")
        #expect(
            try message("total: 99999999999999999999")
                == "'total' is a whole number with at most 18 digits; this is '99999999999999999999'")
        #expect(try message("port: -1") == "'port' is 0 or more, with at most 18 digits; this is '-1'")
    }

    @Test("of an account are instead of those of its bot, module by module; nothing is as good as an empty map")
    func accounts() throws {
        let (_, result) = try load(
            "{ weather: { greeting: bot }, none: {} }", ", modules: { weather: { greeting: own }, none: }")
        let modules = try #require(result.configuration?.accounts.first?.modules, "\(result.faults)")
        #expect(modules.map(\.name) == ["weather", "none"])
        #expect((modules.first?.settings as? Weather)?.greeting == "own")
        #expect(try load("").1.configuration?.accounts.first?.modules == [])
    }

    @Test("are the same where they say the same, however they are written")
    func digests() throws {
        func digest(_ modules: String) throws -> String? {
            try load(modules).1.configuration?.accounts.first?.modules.first?.digest
        }
        let one = try #require(try digest("{ weather: { greeting: x, count: 1 } }"))
        #expect(try digest("\n  weather:\n    count: 1 # more\n    greeting: x\n") == one)
        #expect(try digest("{ weather: { greeting: y, count: 1 } }") != one)
        #expect(try digest("{ weather: { greeting: x, count: 1, isLoud: true } }") != one)
    }
}
