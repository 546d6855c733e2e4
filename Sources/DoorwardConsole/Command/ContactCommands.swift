import DoorwardConfig

extension CommandTable {
    /// The most groups that one command may name.
    static let groupLimit = 50

    private static let accountArgument = Command.Argument(
        placeholder: "ACCOUNT", count: .one, explanation: "the account's address")
    private static let contactArgument = Command.Argument(
        placeholder: "CONTACT", count: .one, explanation: "the contact's address; a resource is left out")
    private static let refused = "it is no contact, the account is not there or not online, or the server refused it"

    static let contacts: [Command] = [
        Command(
            identifier: .contactAdd,
            words: ["contact", "add"],
            group: .accounts,
            summary: "add a contact to an account, and ask to see its presence",
            explanation: """
                Puts somebody into the contact list of an account and asks to see its presence. Whether and when the contact
                answers is up to it; one who was asked and asks back is accepted. Who is in the list already, since it added
                the account or has refused, is asked too: its name and groups stay, unless --name or --group gives others.
                For an address that does not exist most servers say nothing at all, so silence may mean that there is nobody:
                'doorward contact list ACCOUNT --asked' shows how long each has not answered. A server that is not there
                comes back as a refusal: for up to 3 seconds the command waits for that, and what comes later the list, the
                log and the history show; one that cannot be reached is asked again once an hour and at each login. With
                --preapprove the contact may also add the account, once, without being asked about; one who is in the list and was asked, or is seen, is approved and not asked again. 'doorward roster' and
                'contact list' show who is approved, and the history who was let in by it. Removing the contact takes it
                back, and nothing else does: another name or group, a refusal and a block leave it. The history keeps who
                added whom. An account that is offline refuses; what was begun when the link broke is finished at its next
                login. Blanks around a name or a group are left out, and invisible characters refused.
                """,
            arguments: [accountArgument, contactArgument],
            flags: [
                .init(name: "name", placeholder: "NAME", value: .text, explanation: "what the list calls it"),
                .init(
                    name: "group", placeholder: "GROUP", value: .text,
                    explanation: "a group that it is put into; may stand several times", isRepeatable: true),
                .init(
                    name: "message", placeholder: "TEXT", value: .text,
                    explanation: "what goes along with the request; whoever gets it may not show it"),
                .init(
                    name: "preapprove",
                    explanation: "the contact may add the account unasked, once, where the server can keep that"),
            ],
            examples: [
                .init(
                    line: "doorward contact add support@example.org ann@example.net",
                    explanation: "ask ann, and no more"),
                .init(
                    line: "doorward contact add support@example.org ann@example.net --name 'Ann B.' --group Guests",
                    explanation: "with a name and a group"),
            ],
            statuses: [
                (.done, "the contact is in the list, and was asked"),
                (
                    .refused,
                    "it is seen, asked or blocked already, the account is not there or not online, or a server refused"
                ),
            ],
            action: .service(.contactAdd),
            printsData: true
        ),
        Command(
            identifier: .contactRename,
            words: ["contact", "rename"],
            group: .accounts,
            summary: "give a contact another name",
            explanation: """
                Changes what the contact list calls a contact; it stays in its groups. An empty name takes the name away.
                Blanks around it are left out, and invisible characters refused.
                """,
            arguments: [
                accountArgument, contactArgument,
                .init(placeholder: "NAME", count: .one, explanation: "the name; '' for none"),
            ],
            examples: [
                .init(
                    line: "doorward contact rename support@example.org ann@example.net 'Ann B.'",
                    explanation: "call her so")
            ],
            statuses: [(.refused, refused)],
            action: .service(.contactRename),
            printsData: true
        ),
        Command(
            identifier: .contactGroup,
            words: ["contact", "group"],
            group: .accounts,
            summary: "put a contact into groups, or take it out of them",
            explanation: """
                Changes the groups of a contact; its name and its other groups stay. A group that nobody is in any more is
                gone, and one that is named for the first time is there. Of a new group blanks around its name are left out, and
                invisible characters refused. Where the groups are so already, nothing is sent.
                """,
            arguments: [accountArgument, contactArgument],
            flags: [
                .init(
                    name: "add", placeholder: "GROUP", value: .text,
                    explanation: "a group that it is put into; may stand several times", isRepeatable: true),
                .init(
                    name: "remove", placeholder: "GROUP", value: .text,
                    explanation: "a group that it is taken out of; may stand several times", isRepeatable: true),
            ],
            examples: [
                .init(
                    line: "doorward contact group support@example.org ann@example.net --add Friends --remove Guests",
                    explanation: "from one group into another")
            ],
            statuses: [(.refused, refused)],
            action: .service(.contactGroup),
            printsData: true
        ),
        Command(
            identifier: .contactUnsubscribe,
            words: ["contact", "unsubscribe"],
            group: .accounts,
            summary: "no longer see a contact, which stays in the list",
            explanation: """
                Ends that an account sees the presence of a contact, or takes back that it has asked for it. The contact stays
                in the list with its name and groups, and sees the account as before; its server tells it. 'doorward contact
                add' asks anew. Where the account neither sees the contact nor asks, nothing is sent.
                """,
            arguments: [accountArgument, contactArgument],
            examples: [
                .init(
                    line: "doorward contact unsubscribe support@example.org ann@example.net",
                    explanation: "ann's presence is not wanted any more")
            ],
            statuses: [(.refused, refused)],
            action: .service(.contactUnsubscribe),
            printsData: true
        ),
        Command(
            identifier: .contactRevoke,
            words: ["contact", "revoke"],
            group: .accounts,
            summary: "no longer let a contact see an account; it stays in the list",
            explanation: """
                Takes back that a contact sees the presence of an account. The contact stays in the list with its name and
                groups, and the account sees it as before; its server tells it. It may ask again, and is then decided as
                everybody is: who is to be let in no more needs a rule, or 'doorward block add'. An approval that was given
                ahead stays: only 'doorward contact remove' takes that back. Where the contact does not see the account,
                nothing is sent.
                """,
            arguments: [accountArgument, contactArgument],
            examples: [
                .init(
                    line: "doorward contact revoke support@example.org ann@example.net",
                    explanation: "ann sees the account no more")
            ],
            statuses: [(.refused, refused)],
            action: .service(.contactRevoke),
            printsData: true
        ),
        Command(
            identifier: .contactRemove,
            words: ["contact", "remove"],
            group: .accounts,
            summary: "remove a contact from an account",
            explanation: """
                Removes a contact from the list, here and at the server: neither sees the other any more, and the contact is
                told so. A request of the contact that waits on the desk is refused, and an approval that was given ahead is
                taken back. What was known of the contact stays to be seen with 'doorward contact list ACCOUNT --gone'.
                """,
            arguments: [accountArgument, contactArgument],
            examples: [
                .init(
                    line: "doorward contact remove support@example.org ann@example.net",
                    explanation: "in both directions")
            ],
            statuses: [(.refused, refused)],
            action: .service(.contactRemove),
            printsData: true
        ),
        Command(
            identifier: .contactList,
            words: ["contact", "list"],
            group: .accounts,
            summary: "show what is known of an account's contacts",
            explanation: """
                Shows the contacts of an account with what is known of each: since when and by whom it is one, how long it was
                asked and has not answered, and when it was last there or wrote. With --asked only those who were asked, the
                longest first: who has not answered for weeks may not exist. With --gone those who were contacts, and who
                removed them. While the account is offline it is what was last known, and its age is shown.
                """,
            arguments: [accountArgument],
            flags: [
                .init(name: "asked", explanation: "only those who were asked and have not answered, the longest first"),
                .init(name: "gone", explanation: "those who were contacts, the latest first"),
            ],
            examples: [
                .init(line: "doorward contact list support@example.org", explanation: "all of them"),
                .init(line: "doorward contact list support@example.org --asked", explanation: "who has not answered"),
            ],
            statuses: [(.refused, "there is no such account, or nothing of its contacts is known yet")],
            action: .service(.contactList),
            printsData: true
        ),
    ]
}
