extension CommandTable {
    /// What writes files for people to begin with.
    static let beginnings: [Command] = [
        Command(
            identifier: .newBot,
            words: ["new", "bot"],
            group: .people,
            summary: "write a bot of your own to begin with",
            explanation: """
                Writes a folder with a whole bot: a Swift package whose program has all commands of this one and a module of
                your own, its bot.yaml, policy and configuration, and a test of the module on a scripted server. It builds,
                passes its tests and runs as it is; then change what you like. A folder that is there is never touched.
                """,
            arguments: [
                .init(placeholder: "NAME", count: .one, explanation: "the bot's name: small letters, digits and '-'")
            ],
            flags: [
                .init(
                    name: "into", placeholder: "FOLDER", value: .file,
                    explanation: "the folder to write (default: NAME, here)"),
                .init(
                    name: "doorward", placeholder: "PATH", value: .file,
                    explanation: "the folder of Doorward's package (default: the one this program was built in)"),
            ],
            examples: [
                .init(line: "doorward new bot weather", explanation: "write the folder weather"),
                .init(
                    line: "doorward new bot weather --into /srv/weather --doorward ../doorward",
                    explanation: "elsewhere, with the library from there"),
            ],
            statuses: [(.done, "it is written"), (.refused, "the folder is there already, or cannot be written")],
            action: .local(NewBotCommand.run),
            readsConfiguration: false
        )
    ]
}
