import DoorwardConsole
import Foundation
import Testing

@Suite("policy explain")
struct PolicyExplainTests {
    static let goodPolicy = """
        version: 1
        policy: p
        subscription:
          - rule: friends
            when: { domain: friends.test }
            then: { accept: { subscribe_back: true } }

        """

    @Test("policy explain: of a path, in words and as data; faults and unknown names have their statuses")
    func explain() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/p.yaml"
            try Self.goodPolicy.write(toFile: file, atomically: true, encoding: .utf8)
            let words = Screen()
            #expect(words.program().run(["policy", "explain", file, "--from", "ann@friends.test/phone"]) == .done)
            #expect(
                words.output.hasPrefix(
                    "ann@friends.test asks account@example.org: accept (asks back), by the rule 'friends' of p.\n"
                        + "(account@example.org is made up; --account names another one.)\n"))
            let asked = Screen()
            _ = asked.program().run(["policy", "explain", file, "--from", "a@b.test", "--account", "c@d.test"])
            #expect(!asked.output.contains("made up"))
            let json = Screen()
            #expect(json.program().run(["policy", "explain", file, "--from", "x@spam.test", "--json"]) == .done)
            let document = try JSONReader.read(Array(json.output.utf8))
            #expect(document["decision"] == .string("ask"))
            #expect(document["by"] == .string("default"))
            #expect(document["trace"]?.array?.first?["conditions"]?.array?.first?["value"] == .string("spam.test"))
            let own = Screen()
            #expect(
                own.program().run([
                    "policy", "explain", file, "--from", "x@spam.test", "--subscription", "to", "--json",
                ]) == .done)
            #expect(try JSONReader.read(Array(own.output.utf8))["by"] == .string("own_request"))
            #expect(Screen().program().run(["policy", "explain", file]) == .usage)
            #expect(
                Screen().program().run(["policy", "explain", folder + "/none.yaml", "--from", "x@spam.test"]) == .usage)
            let contradiction = [
                "policy", "explain", file, "--from", "x@y.test", "--in-roster", "false", "--subscription", "to",
            ]
            #expect(Screen().program().run(contradiction) == .usage)
        }
    }

    @Test("policy explain says what happens to the old address of a verified move, where a rule accepts it")
    func moved() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/p.yaml"
            try Self.goodPolicy.write(toFile: file, atomically: true, encoding: .utf8)
            for (from, moved, revokes) in [
                ("ann@friends.test", "verified", true), ("ann@friends.test", "claimed", false),
                ("ann@friends.test", "absent", false), ("ann@else.test", "verified", false),
            ] {
                let arguments = ["policy", "explain", file, "--from", from, "--moved", moved]
                let (words, json) = (Screen(), Screen())
                #expect(words.program().run(arguments) == .done)
                #expect(words.output.contains("The old address no longer sees the account.") == revokes)
                #expect(json.program().run(arguments + ["--json"]) == .done)
                #expect(try JSONReader.read(Array(json.output.utf8))["revokes_old"] == .bool(revokes))
            }
        }
    }

    @Test("policy explain of a faulty file ends like check: faults, then one line; in --json an array")
    func explainFaults() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/p.yaml"
            try "version: 1\npolicy: p\nsubscription: [ { rul: x } ]\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            let words = Screen()
            #expect(words.program().run(["policy", "explain", file, "--from", "a@b.test"]) == .usage)
            let last = words.errors.split(separator: "\n").last ?? ""
            #expect(last.hasPrefix("doorward: \(file) has ") && last.contains("so nothing can be explained"))
            let json = Screen()
            #expect(json.program().run(["policy", "explain", file, "--from", "a@b.test", "--json"]) == .usage)
            let faults = try #require(JSONReader.read(Array(json.output.utf8)).array)
            #expect(!faults.isEmpty && faults.allSatisfy { $0["code"]?.string?.hasPrefix("DW") ?? false })
        }
    }
}
