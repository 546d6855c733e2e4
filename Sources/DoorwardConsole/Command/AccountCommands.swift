import DoorwardConfig

extension CommandTable {
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
}
