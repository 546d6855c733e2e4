import DoorwardConfig

extension CommandTable {
    static let accounts: [Command] = [
        Command(
            identifier: .roster,
            words: ["roster"],
            group: .accounts,
            summary: "show the contacts of an account",
            explanation: """
                Shows the contact list of an account as its server has it. Between two sessions there is none: the list
                comes with the next login.
                """,
            arguments: [.init(placeholder: "ACCOUNT", count: .one, explanation: "the account's address")],
            examples: [.init(line: "doorward roster support@example.org", explanation: "its contacts")],
            statuses: [(.refused, "there is no such account, or it is not online at the moment")],
            leastRole: .viewer,
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
            leastRole: .admin
        ),
    ]
}
