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
        )
    ]
}
