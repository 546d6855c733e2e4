import DoorwardConfig

extension CommandTable {
    /// The most requests that one command may answer.
    static let answerLimit = 100

    private static let requestArgument = Command.Argument(
        placeholder: "ID[@VERSION]",
        count: .oneOrMore(limit: answerLimit),
        explanation: """
            the number that 'doorward pending' shows; with a version the answer is refused if the request changed
            since that version
            """
    )

    private static let accountFlag = Command.Flag(
        name: "account",
        placeholder: "JID",
        value: .address,
        explanation: "only of this account"
    )

    static let desk: [Command] = [
        Command(
            identifier: .pending,
            words: ["pending"],
            group: .desk,
            summary: "show the requests that wait for a person",
            explanation: """
                Shows the subscription requests that no rule decided, oldest first, with the number that accept and reject
                take.
                """,
            flags: [.init(name: "all", explanation: "also those that are answered or gone"), accountFlag],
            examples: [
                .init(line: "doorward pending", explanation: "what waits now"),
                .init(line: "doorward pending --account support@example.org", explanation: "of one account"),
            ],
            leastRole: .viewer,
            printsData: true
        ),
        Command(
            identifier: .accept,
            words: ["accept"],
            group: .desk,
            summary: "let someone add an account",
            explanation: """
                Accepts requests that wait. The answer is written down at once, and sent now or when the account is online.
                """,
            arguments: [requestArgument],
            examples: [
                .init(line: "doorward accept 17", explanation: "accept request 17"),
                .init(line: "doorward accept 17@2 18", explanation: "17 as version 2 shows it, and 18"),
            ],
            statuses: [(.done, "all were accepted"), (.refused, "one or more were refused; the others were accepted")],
            leastRole: .operator,
            printsData: true
        ),
        Command(
            identifier: .reject,
            words: ["reject"],
            group: .desk,
            summary: "refuse someone who wants to add an account",
            explanation: """
                Rejects requests that wait. With --block the account also blocks the sender (XEP-0191), where its server
                can do that.
                """,
            arguments: [requestArgument],
            flags: [.init(name: "block", explanation: "also block the sender")],
            examples: [
                .init(line: "doorward reject 17", explanation: "reject request 17"),
                .init(line: "doorward reject 17 18 --block", explanation: "reject two and block both senders"),
            ],
            statuses: [(.done, "all were rejected"), (.refused, "one or more were refused; the others were rejected")],
            leastRole: .operator,
            printsData: true
        ),
        Command(
            identifier: .history,
            words: ["history"],
            group: .desk,
            summary: "show what was decided, by whom and why",
            explanation: """
                Shows decisions and requests that closed by themselves, newest first: which rule or person decided, and
                whether the server has the answer.
                """,
            flags: [
                .init(
                    name: "limit",
                    placeholder: "N",
                    value: .number(1...5000),
                    explanation: "how many rows (default 100, at most 5000)"
                ),
                .init(
                    name: "before",
                    placeholder: "ID",
                    value: .historyID,
                    explanation: "only rows before this one, such as h123: the next page"
                ),
                accountFlag,
            ],
            examples: [
                .init(line: "doorward history --limit 20", explanation: "the last twenty"),
                .init(line: "doorward history --before h480", explanation: "what stands before row h480"),
            ],
            leastRole: .viewer,
            printsData: true
        ),
    ]

    static let accounts: [Command] = [
        Command(
            identifier: .roster,
            words: ["roster"],
            group: .accounts,
            summary: "show the contacts of an account",
            explanation: "Shows the contact list of an account as its server has it.",
            arguments: [.init(placeholder: "ACCOUNT", count: .one, explanation: "the account's address")],
            examples: [.init(line: "doorward roster support@example.org", explanation: "its contacts")],
            statuses: [(.refused, "there is no such account, or it was not online yet")],
            leastRole: .viewer,
            printsData: true
        )
    ]

    static let rules: [Command] = [
        Command(
            identifier: .policyExplain,
            words: ["policy", "explain"],
            group: .rules,
            summary: "show what a policy would decide, and why",
            explanation: """
                Puts a made-up request to a policy and shows the decision with every rule and condition: whether it held,
                what was looked at, and where it stands. Reads files only; no service is needed.
                """,
            arguments: [
                .init(
                    placeholder: "POLICY",
                    count: .one,
                    explanation: "a policy's name, or a path if it has a '/' or ends in .yaml"
                )
            ],
            flags: [
                .init(name: "from", placeholder: "JID", value: .address, explanation: "who asks (needed)"),
                .init(name: "message", placeholder: "TEXT", value: .text, explanation: "the text of the request"),
                .init(name: "nickname", placeholder: "NAME", value: .text, explanation: "the nickname in the request"),
                .init(name: "account", placeholder: "JID", value: .address, explanation: "who is asked"),
                .init(
                    name: "subscription",
                    placeholder: "STATE",
                    value: .choice(["none", "to", "from", "both"]),
                    explanation: "the sender's state in the contact list: none, to, from or both"
                ),
                .init(
                    name: "in-roster",
                    placeholder: "true|false",
                    value: .choice(["true", "false"]),
                    explanation: "whether the sender is in the contact list (default false)"
                ),
            ],
            examples: [
                .init(
                    line: "doorward policy explain community --from ann@example.net",
                    explanation: "a policy of the configuration"
                ),
                .init(
                    line: "doorward policy explain ./new.yaml --from x@spam.example --message 'Casino bonus!'",
                    explanation: "a file that is not in use yet"
                ),
            ],
            statuses: [(.refused, "there is no policy of that name"), (.usage, "the policy has faults")],
            printsData: true
        )
    ]
}
