import DoorwardConfig
import XMPPCore

extension CommandTable {
    static let avatars: [Command] = [
        Command(
            identifier: .avatar,
            words: ["avatar"],
            group: .accounts,
            summary: "show or save a contact's picture, or set an account's own",
            explanation: """
                With the address of a contact: says what picture it has and where that was announced, and writes it to a file
                with -o. The copy that the service has is given at once, and the contact asked behind that; where there is
                none, or with --fresh, the contact is asked first. Whoever is asked learns the account's full address and that
                it is online. Contacts with a subscription may know that, so a viewer can have them asked; anybody else is asked
                for an operator or admin only, and with mode: observe nobody is. With --set: publishes a picture as the account's own, at
                its nodes (XEP-0084), and in its vCard where the server does not do so by itself. An avatar in bot.yaml is
                published again at the next login.
                """,
            arguments: [
                .init(placeholder: "ACCOUNT", count: .one, explanation: "the account's address"),
                .init(placeholder: "JID", count: .any(limit: 1), explanation: "whose picture is asked for"),
            ],
            flags: [
                .init(
                    name: "output", placeholder: "FILE", value: .file,
                    explanation: "write the picture to this file; -o FILE is the same, and - is standard output"),
                .init(
                    name: "fresh",
                    explanation: "ask now, whatever is known; a stranger too, which needs the role operator"),
                .init(
                    name: "set", placeholder: "FILE", value: .file,
                    explanation:
                        "publish this PNG, JPEG, GIF or WebP of at most \(AvatarImage.publishingLimit) bytes; needs the role admin"
                ),
            ],
            examples: [
                .init(
                    line: "doorward avatar support@example.org ann@example.net -o ann.png",
                    explanation: "save Ann's picture"),
                .init(
                    line: "doorward avatar support@example.org --set support.png",
                    explanation: "give the account a picture"),
            ],
            statuses: [(.refused, "there is no such account, or no picture; or the server refused it")],
            action: .service(.avatar),
            printsData: true
        )
    ]
}
