import DoorwardConfig

extension CommandTable {
    /// The most requests that one command may answer.
    static let answerLimit = 100

    /// The most rows of history that one command shows; one more may be asked for, to know whether there are older ones.
    static let historyLimit = 5000

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
                take. A long text is cut; with its number a request is shown whole, also one that is answered or gone. Of an
                invitation that it shows it is said why that let nobody in.
                """,
            arguments: [
                .init(
                    placeholder: "ID", count: .any(limit: answerLimit),
                    explanation: "show these requests whole, and nothing else")
            ],
            flags: [.init(name: "all", explanation: "also those that are answered or gone"), accountFlag],
            examples: [
                .init(line: "doorward pending", explanation: "what waits now"),
                .init(line: "doorward pending 17", explanation: "request 17, with its whole text"),
                .init(line: "doorward pending --account support@example.org", explanation: "of one account"),
            ],
            statuses: [(.refused, "there is no such account or request")],
            action: .service(.pending),
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
            action: .service(.accept),
            printsData: true
        ),
        Command(
            identifier: .reject,
            words: ["reject"],
            group: .desk,
            summary: "refuse someone who wants to add an account",
            explanation: """
                Rejects requests that wait. With --block the account also blocks the sender (XEP-0191), where its server
                can do that; where it cannot, 'doorward history' says so. With --report it blocks and reports, for a
                report is a part of a block.
                """,
            arguments: [requestArgument],
            flags: [.init(name: "block", explanation: "also block the sender"), reportFlag],
            examples: [
                .init(line: "doorward reject 17", explanation: "reject request 17"),
                .init(line: "doorward reject 17 18 --block", explanation: "reject two and block both senders"),
                .init(line: "doorward reject 17 --report spam", explanation: "reject, block, and report for spam"),
            ],
            statuses: [(.done, "all were rejected"), (.refused, "one or more were refused; the others were rejected")],
            action: .service(.reject),
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
                    value: .number(1...Int64(historyLimit)),
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
            statuses: [(.refused, "there is no such account")],
            action: .service(.history),
            printsData: true
        ),
    ]
}
