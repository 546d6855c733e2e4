import DoorwardConfig

extension CommandTable {
    static let running: [Command] = [
        Command(
            identifier: .run,
            words: ["run"],
            group: .running,
            summary: "run the service in this terminal",
            explanation: """
                Reads the configuration with its bots and policies, connects every account, and answers requests until it
                is told to stop (Ctrl-C or SIGTERM). SIGHUP reads the files again, as 'doorward reload' does; so when its
                terminal is closed the service goes on, and 'kill' with the process's number ends it. A file with a fault
                means no start. What happens is written to standard error, one line an event.
                """,
            examples: [
                .init(line: "doorward run", explanation: "with config/doorward.yaml"),
                .init(line: "doorward run --config /srv/bots/doorward.yaml", explanation: "with another configuration"),
            ],
            statuses: [
                (.done, "it was told to stop"), (.refused, "the store or the control socket cannot be opened"),
                (.usage, "a file has faults: nothing was started"),
            ],
            action: .local(ServeCommand.run)
        ),
        Command(
            identifier: .check,
            words: ["check"],
            group: .running,
            summary: "check the files, without a service",
            explanation: """
                Reads the configuration and all it names, and prints every fault of every file in one run: its place, a
                stable code, what is wrong and what to write instead. Nothing is connected, unless --connect names an account:
                then one login is made and ended behind the binding, and each step is shown with what was found and what
                failed. It has a resource and an identity of its own and sends no presence, so an account that is running is
                not touched. What the service remembers of its logins is read from the store, and no login is made that the
                service would not make. The password itself is never sent: a server that offers PLAIN alone is shown, and not
                logged in to.
                """,
            flags: [
                .init(
                    name: "connect", placeholder: "ACCOUNT", value: .address,
                    explanation: "log this account in once, and show each step")
            ],
            examples: [
                .init(
                    line: "doorward check --connect support@example.org",
                    explanation: "why does this account not come online?"),
                .init(line: "doorward check", explanation: "check config/doorward.yaml and all it names"),
                .init(line: "doorward check --json", explanation: "the faults for an editor or a script"),
            ],
            statuses: [
                (.done, "no errors; there may be warnings"),
                (.refused, "with --connect: there is no such account, or its login failed"),
                (.usage, "there are errors; nothing was connected"),
            ],
            action: .local(CheckCommand.run),
            printsData: true
        ),
        Command(
            identifier: .demo,
            words: ["demo"],
            group: .running,
            summary: "try it all on a private server on this machine",
            explanation: """
                Starts a private Prosody on loopback, writes certificates, passwords and an overlay under var/demo, runs
                the service with the bots of this configuration, and lets five guests ask to be added. It says what
                happens and what to type next in a second terminal. Ctrl-C stops all of it.
                """,
            flags: [
                .init(
                    name: "once",
                    explanation: "end by itself when each guest is answered or waits for an operator; for scripts")
            ],
            examples: [.init(line: "doorward demo", explanation: "run it")],
            statuses: [
                (.done, "it was told to stop, or with --once all went as it should"),
                (.refused, "it could not start, or an account or a guest got nowhere"),
                (.usage, "a file has faults: nothing was started"),
            ],
            action: .local(DemoCommand.run)
        ),
        Command(
            identifier: .status,
            words: ["status"],
            group: .running,
            summary: "show the accounts and what is wrong",
            explanation: """
                Shows each account: whether it is online, since when, its policy and mode, how many contacts it has and how
                many requests wait; and every alert that is not over.
                """,
            examples: [
                .init(line: "doorward status", explanation: "in words"),
                .init(line: "doorward status --json", explanation: "for a script"),
            ],
            action: .service(.status),
            printsData: true
        ),
        Command(
            identifier: .alerts,
            words: ["alerts"],
            group: .running,
            summary: "show what needs an operator",
            explanation: """
                Shows the conditions that an operator must know: an account that is parked, a reload that was refused. Each
                says what to do. An alert goes by itself when its condition is over.
                """,
            flags: [.init(name: "all", explanation: "also those that are over")],
            examples: [.init(line: "doorward alerts --all", explanation: "also those that are over")],
            action: .service(.alerts),
            printsData: true
        ),
        Command(
            identifier: .reload,
            words: ["reload"],
            group: .running,
            summary: "read the files again",
            explanation: """
                Lets the service read its files again; accounts are started, stopped or updated where they changed, and
                nothing else is touched. A file with a fault changes nothing and raises an alert.
                """,
            examples: [.init(line: "doorward check && doorward reload", explanation: "check first, then reload")],
            statuses: [(.usage, "a file has faults: nothing changed")],
            action: .service(.reload),
            printsData: true
        ),
    ]
}
