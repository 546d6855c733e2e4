import DoorwardConfig

extension CommandTable {
    /// The most entries that one command blocks or lets in again.
    static let blockLimit = 100

    static let reportFlag = Command.Flag(
        name: "report", placeholder: "spam|abuse", value: .choice(["spam", "abuse"]),
        explanation: "also tell the server's operators, for spam or abuse (XEP-0377)")

    private static let account = Command.Argument(
        placeholder: "ACCOUNT", count: .one, explanation: "the account's address")

    private static let items = Command.Argument(
        placeholder: "JID|DOMAIN", count: .oneOrMore(limit: blockLimit),
        explanation: """
            ann@example.net is a contact with all her devices; example.net is a domain with all its users, and none of its
            subdomains; with a resource behind a '/' only that one is meant
            """)

    private static let notDone: [(ProgramStatus, String)] = [
        (
            .refused,
            "no such account, it is not online, or its server refused or knows no blocking"
        )
    ]

    static let blocking: [Command] = [
        Command(
            identifier: .blockAdd,
            words: ["block", "add"],
            group: .accounts,
            summary: "block someone, or a whole domain",
            explanation: """
                Lets the account's server keep everything of these away (XEP-0191): requests, messages, presence. Requests
                of theirs that wait are told no and leave the desk as covered, all of a domain's; who asks later never gets
                there. Contacts stay in the contact list. With --report the server's operators are told too; a server that
                takes no reports blocks all the same.
                """,
            arguments: [account, items],
            flags: [
                reportFlag,
                .init(
                    name: "text", placeholder: "TEXT", value: .text,
                    explanation: "words for the report, at most 1024 bytes"),
            ],
            examples: [
                .init(line: "doorward block add support@example.org eve@spam.example", explanation: "one contact"),
                .init(
                    line: "doorward block add support@example.org spam.example --report spam",
                    explanation: "a domain, and say why"),
            ],
            statuses: notDone,
            action: .service(.blockAdd),
            printsData: true
        ),
        Command(
            identifier: .blockRemove,
            words: ["block", "remove"],
            group: .accounts,
            summary: "let someone in again who was blocked",
            explanation: """
                Takes entries off the block list of an account, as 'doorward block list' shows them. A domain's entry and
                those of its users are each for themselves.
                """,
            arguments: [account, items],
            examples: [
                .init(line: "doorward block remove support@example.org spam.example", explanation: "the domain's entry")
            ],
            statuses: [(.refused, "as with 'block add', or one of them is not on the list: nothing is changed")],
            action: .service(.blockRemove),
            printsData: true
        ),
        Command(
            identifier: .blockList,
            words: ["block", "list"],
            group: .accounts,
            summary: "show whom an account blocks",
            explanation: """
                Shows the block list of an account as its server has it, whoever of the account's clients made the entries.
                """,
            arguments: [account],
            examples: [.init(line: "doorward block list support@example.org", explanation: "its block list")],
            statuses: [(.refused, "there is no such account, it is not online, or its server knows no blocking")],
            action: .service(.blockList),
            printsData: true
        ),
    ]
}
