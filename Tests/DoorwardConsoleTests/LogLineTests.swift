import DoorwardConsole
import DoorwardRuntime
import Testing
import XMPPCore

@Suite("Log lines")
struct LogLineTests {
    @Test("one event is one line of key=value")
    func line() {
        let line = LogLine(
            "account_parked",
            level: .warning,
            at: Samples.start,
            ["account": "front@corp.test", "reason": "wrong password", "none": nil]
        )
        #expect(
            line.text
                == "time=2026-01-05T12:00:00.000Z level=warning event=account_parked account=front@corp.test reason=\"wrong password\""
        )
    }

    @Test("whatever a value holds, it stays one line and cannot pass for another field", arguments: StrangerTexts.all)
    func hostile(text: String) throws {
        let line = LogLine("e", at: Samples.start, ["value": text, "last": "1"]).text
        #expect(line.unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
        #expect(fields(line).map(\.key) == ["time", "level", "event", "value", "last"])
    }

    /// Reads a line the way a log collector does: words, with quoted values.
    func fields(_ line: String) -> [(key: String, value: String)] {
        var result: [(key: String, value: String)] = []
        var rest = line[...]
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "=") else { return result + [(String(rest), "")] }
            let key = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            var value = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let next = rest.first, next != "\"" {
                    rest = rest.dropFirst()
                    if next == "\\" {
                        value.append(rest.first ?? " "); rest = rest.dropFirst()
                    } else {
                        value.append(next)
                    }
                }
                rest = rest.dropFirst()
            } else {
                value = String(rest.prefix { $0 != " " })
                rest = rest.dropFirst(value.count)
            }
            result.append((key, value))
            rest = rest.dropFirst()
        }
        return result
    }
}
