import DoorwardConfig
import DoorwardRuntime

extension CommandTable {
    private static let notThere: [(ProgramStatus, String)] = [
        (.refused, "there is no such account, or it has too many invitations that are valid")
    ]

    static let invitations: [Command] = [
        Command(
            identifier: .invite,
            words: ["invite"],
            group: .accounts,
            summary: "make a link that lets someone add an account",
            explanation: """
                Makes an invitation (XEP-0379) and prints its link, and on a terminal as a QR code too. Whoever follows the
                link with a client that knows invitations is accepted at once, by no rule and no person, and is asked in
                return; in the history it is by token. Anybody who has the link can use it, so give it to one person; it is
                shown once and kept nowhere. With a client that shows no token the request is an ordinary one.

                With --server the account's server is asked for the invitation (XEP-0401): then the link may also let
                somebody without an account make one there, and there may be a page that explains it. A server that makes
                none is named, and the link is made without it. Blanks around --name are left out, and invisible characters refused.
                """,
            arguments: [.init(placeholder: "ACCOUNT", count: .one, explanation: "the account to be added")],
            flags: [
                .init(
                    name: "expires", placeholder: "DURATION", value: .text,
                    explanation: "how long it is valid, such as 12h or 7d (default 7d, at most 366d)"),
                .init(
                    name: "uses", placeholder: "N", value: .number(1...Int64(InvitationOrder.uses.upperBound)),
                    explanation: "how often it may be used (default 1)"),
                .init(name: "for", placeholder: "JID", value: .address, explanation: "the only one who may use it"),
                .init(
                    name: "name", placeholder: "NAME", value: .text,
                    explanation: "the name that the link offers for the account"),
                .init(name: "server", explanation: "have the account's server make it (XEP-0401)"),
                .init(name: "no-qr", explanation: "print no QR code"),
            ],
            examples: [
                .init(line: "doorward invite support@example.org", explanation: "for one person, for a week"),
                .init(
                    line: "doorward invite support@example.org --uses 30 --expires 2d --name Support",
                    explanation: "for a class"),
                .init(
                    line: "doorward invite support@example.org --server",
                    explanation: "for somebody who may have no account yet"),
            ],
            statuses: notThere,
            action: .service(.invite),
            printsData: true
        ),
        Command(
            identifier: .inviteList,
            words: ["invite", "list"],
            group: .accounts,
            summary: "show the invitations",
            explanation: """
                Shows who made which invitations, how often they were used and until when they are valid; never their
                links.
                """,
            arguments: [
                .init(placeholder: "ACCOUNT", count: .any(limit: 1), explanation: "only those of this account")
            ],
            flags: [.init(name: "all", explanation: "also those that let nobody in any more")],
            examples: [.init(line: "doorward invite list", explanation: "those that are valid")],
            statuses: [(.refused, "there is no such account")],
            action: .service(.inviteList),
            printsData: true
        ),
        Command(
            identifier: .inviteRevoke,
            words: ["invite", "revoke"],
            group: .accounts,
            summary: "make an invitation invalid",
            explanation: """
                From now on these invitations let nobody in; who shows their tokens asks like anybody else. Contacts that were
                let in stay.
                """,
            arguments: [
                .init(
                    placeholder: "ID", count: .oneOrMore(limit: answerLimit),
                    explanation: "the number that 'doorward invite list' shows")
            ],
            examples: [.init(line: "doorward invite revoke 3", explanation: "invitation 3")],
            statuses: [(.refused, "one or more are not there or let nobody in anyway; the others were revoked")],
            action: .service(.inviteRevoke),
            printsData: true
        ),
    ]
}
