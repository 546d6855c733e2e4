import DoorwardConfig

extension CommandTable {
    static let accounts: [Command] = [
        Command(
            identifier: .roster,
            words: ["roster"],
            group: .accounts,
            summary: "show the contacts of an account",
            explanation: """
                Shows the contact list of an account as its server has it, with who is there at the moment. While the
                account is offline it is the list as it was last seen, and its age is shown. Of whoever is there with several
                resources the one to talk to is shown: the one of the highest priority, then the readiest; --resources shows
                each of them, and --json has them under 'resources'.
                'doorward contact list ACCOUNT' shows more of each contact.
                """,
            arguments: [.init(placeholder: "ACCOUNT", count: .one, explanation: "the account's address")],
            flags: [
                .init(
                    name: "search", placeholder: "TEXT", value: .text,
                    explanation: "only those with that text in name, address or a group, in capitals or not"),
                .init(name: "group", placeholder: "GROUP", value: .text, explanation: "only those in that group"),
                .init(
                    name: "sort", placeholder: "address|name|presence",
                    value: .choice(["address", "name", "presence"]),
                    explanation: "by address (default), by name, or who is there first and then who was there last"),
                .init(
                    name: "resources",
                    explanation: "who is there, a row for each resource, with its priority, show, status and idle time"),
            ],
            examples: [
                .init(line: "doorward roster support@example.org", explanation: "its contacts"),
                .init(
                    line: "doorward roster support@example.org --group Guests --sort presence",
                    explanation: "the guests, those who are there first"),
            ],
            statuses: [(.refused, "there is no such account, or its list was never seen")],
            action: .service(.roster),
            printsData: true
        ),
        Command(
            identifier: .accountTrustAgain,
            words: ["account", "trust-again"],
            group: .accounts,
            summary: "let an account trust its server again",
            explanation: """
                An account remembers that its server has proved itself by SCRAM or a certificate, and that a login was bound
                to its TLS connection. A server that offers less than that stops the login, with an alert: somebody on the way
                may have cut it from the offer, to get at the password. Where the server is really meant to offer less, this
                forgets what was remembered, with the token of the last login, and connects anew. The log keeps who did it.
                """,
            arguments: [.init(placeholder: "ACCOUNT", count: .one, explanation: "the account's address")],
            examples: [
                .init(
                    line: "doorward account trust-again support@example.org",
                    explanation: "after the server's operator has confirmed the change")
            ],
            statuses: [(.refused, "there is no such account")],
            action: .service(.accountTrustAgain)
        ),
    ]
}
