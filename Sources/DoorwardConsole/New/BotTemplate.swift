import Glibc

/// The files of a new bot.
struct BotTemplate {
    struct File {
        let path: String
        let text: String
        var folderMode: mode_t = 0o755
    }

    let name: BotName
    /// Where Doorward's package is.
    let libraryPath: String?

    var files: [File] {
        [
            File(path: "Package.swift", text: package), File(path: ".gitignore", text: ".build/\nsecrets/\nvar/\n"),
            File(path: "README.md", text: readme), File(path: "config/doorward.yaml", text: configuration),
            File(path: "bot.yaml", text: bot), File(path: "policy.yaml", text: policy),
            File(path: "Sources/\(name.target)/main.swift", text: main),
            File(path: "Sources/\(name.target)/\(name.module).swift", text: module),
            File(path: "Tests/\(name.target)Tests/\(name.module)Tests.swift", text: tests),
        ]
    }

    private var package: String {
        let dependency =
            libraryPath.map { ".package(name: \"doorward\", path: \(quoted($0)))" }
            ?? ".package(url: \"https://example.org/write-where-it-is/doorward.git\", branch: \"main\")"
        return """
            // swift-tools-version: 6.2
            \(imports("PackageDescription"))

            let package = Package(
                name: "\(name.text)",
                products: [.executable(name: "\(name.text)", targets: ["\(name.target)"])],
                dependencies: [
                    \(dependency)
                ],
                targets: [
                    .executableTarget(
                        name: "\(name.target)",
                        dependencies: [
                            .product(name: "XMPPCore", package: "doorward"),
                            .product(name: "XMPPClient", package: "doorward"),
                            .product(name: "XMPPModules", package: "doorward"),
                            .product(name: "DoorwardConsole", package: "doorward"),
                        ]),
                    .testTarget(
                        name: "\(name.target)Tests",
                        dependencies: [
                            "\(name.target)",
                            .product(name: "XMPPCore", package: "doorward"),
                            .product(name: "XMPPClient", package: "doorward"),
                            .product(name: "XMPPTestKit", package: "doorward"),
                        ]),
                ]
            )

            """
    }

    private var main: String {
        """
        \(imports("DoorwardConsole"))

        DoorwardMain.run(modules: [\(name.module).self])

        """
    }

    private var module: String {
        """
        \(imports("XMPPClient", "XMPPCore", "XMPPModules"))

        /// Answers contacts who say hello.
        struct \(name.module): XMPPModule {
            /// What bot.yaml says of it; what has a `?` may be left out.
            struct Settings: Decodable {
                var greeting: String
                var limit: UInt16?
            }

            static let name = "\(name.text)"
            static let interests: ModuleInterests = [.messages]

            private let settings: Settings
            private let limit: AnswerLimit

            init(settings: Settings) {
                self.settings = settings
                limit = AnswerLimit(Int(settings.limit ?? 10))
            }

            func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
                // Contacts only, no answers to answers, and not too many to anybody: two bots fall quiet.
                guard case .message(let message, let contact?) = event, contact.seesAccount, message.type == .chat,
                    message.body?.isEmpty == false, !message.isReply, limit.allows(contact.jid, at: context.uptime)
                else { return }
                // Kept over restarts, for each account by itself.
                let count = (try await context.storage.value(Int.self, for: "count") ?? 0) + 1
                try await context.storage.set(count, for: "count")
                try await context.reply(
                    to: message, with: settings.greeting.replacing("{name}", with: contact.callName))
            }
        }

        extension \(name.module): ChatCommandProvider {
            /// What /help lists, beside itself.
            var chatCommands: [ChatCommand] { [ChatCommand("count", help: "says how often I was greeted")] }

            func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? {
                let count = try await context.storage.value(Int.self, for: "count") ?? 0
                return "I was greeted \\(count) times."
            }
        }

        """
    }

    private var tests: String {
        """
        \(imports("Testing", "XMPPClient", "XMPPCore", "XMPPTestKit"))

        @testable \(imports(name.target))

        struct \(name.module)Tests {
            @Test func answersContactsAndNobodyElse() async throws {
                let ann = try JID("ann@example.net/phone")
                let bench = try await ModuleBench(
                    \(name.module).self, settings: .init(greeting: "Hello {name}"),
                    contacts: [ServerRosterItem(ann.bare, subscription: "both", name: "Ann")])
                await bench.hear("hi", from: ann)
                await bench.hear("hi", from: try JID("eve@example.net/x"))
                #expect(bench.said.map(\\.body) == ["Hello Ann"])
                await bench.hear("/count", from: ann)
                #expect(bench.said.last?.body == "I was greeted 1 times.")
                await bench.end()
            }
        }

        """
    }

    private var configuration: String {
        """
        # What this program runs. Relative paths are relative to this file.
        version: 1
        store: sqlite:../var/\(name.text).db
        control: ../var/\(name.text).sock
        policies: [../policy.yaml]
        bots: [../bot.yaml]

        """
    }

    private var bot: String {
        """
        # The bot: its accounts, and its modules with their settings.
        bot: \(name.text)
        policy: \(name.text)

        accounts:
          # Write your own address here, and its password into secrets/\(name.text): one line, chmod 600.
          - jid: \(name.text)@example.org
            password: { file: secrets/\(name.text) }

        modules:
          \(name.text):
            greeting: "Hello {name}"
            # How often one contact is answered in a minute; 10 where nothing is said.
            limit: 10

        """
    }

    private var policy: String {
        """
        # Who may become a contact: the first rule that holds decides, and an operator is asked about everybody else.
        version: 1
        policy: \(name.text)

        subscription:
          - rule: people of our own host walk in
            when: { from: "*@example.org" }
            then: { accept: { subscribe_back: true } }

        """
    }

    private var readme: String {
        """
        # \(name.text)

        A bot: `Sources/\(name.target)/\(name.module).swift` is what it does, `bot.yaml` says for which accounts,
        `policy.yaml` who may become a contact.

        ```
        swift test     # the module in a scripted server, without a network
        swift run \(name.text) check     # what is wrong with the files, with the place
        swift run \(name.text) run       # until Ctrl-C
        swift run \(name.text) status    # in a second terminal; --help shows all commands
        ```

        All of them read `config/doorward.yaml`, which names the other files.

        Before the first run: write your account's address into `bot.yaml`, and its password into `secrets/\(name.text)`
        (one line; `chmod 600`). A release: `swift build -c release --static-swift-stdlib`.

        """
    }

    /// Lines that are imports of the bot, and not of this file.
    private func imports(_ modules: String...) -> String { modules.map { "import \($0)" }.joined(separator: "\n") }

    private func quoted(_ text: String) -> String {
        "\"" + text.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] } + "\""
    }
}
