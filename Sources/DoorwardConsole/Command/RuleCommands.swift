import DoorwardPolicy

extension CommandTable {
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
                .init(
                    name: "gateway",
                    placeholder: "true|false",
                    value: .choice(["true", "false"]),
                    explanation: "whether the sender is behind a gateway in the contact list (default false)"
                ),
                .init(
                    name: "token",
                    placeholder: "STATE",
                    value: .choice(TokenFact.allCases.map(\.rawValue)),
                    explanation: "what its invitation token is worth: absent (default), valid or expired"
                ),
                .init(
                    name: "moved",
                    placeholder: "STATE",
                    value: .choice(MoveFact.allCases.map(\.rawValue)),
                    explanation: "whether it says to be a contact who has moved: absent (default), claimed or verified"
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
            action: .local(PolicyExplainCommand.run),
            printsData: true
        )
    ]
}
