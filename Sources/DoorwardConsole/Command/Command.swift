/// One command of the program.
///
/// The parser, the help texts and the check of roles all come from the list of these.
package struct Command: Sendable {
    /// Tells commands apart.
    package enum Identifier: Hashable, Sendable, CaseIterable {
        case run, check, demo, status, alerts, reload
        case pending, accept, reject, history
        case roster, accountTrustAgain
        case avatar
        case blockAdd, blockRemove, blockList
        case contactAdd, contactRename, contactGroup, contactUnsubscribe, contactRevoke, contactRemove, contactList
        case invite, inviteList, inviteRevoke
        case policyExplain
        case newBot
        case version, help
    }

    /// The headings of `--help`, in their order.
    package enum Group: String, Hashable, Sendable, CaseIterable {
        case running = "Running it"
        case desk = "The desk: requests that wait, and what became of them"
        case accounts = "Accounts and contacts"
        case rules = "Rules"
        case people = "Help"
    }

    /// An argument by its place.
    package struct Argument: Sendable {
        package enum Count: Hashable, Sendable {
            case one
            case oneOrMore(limit: Int)
            /// As many as one likes, or none.
            case any(limit: Int)

            var isNeeded: Bool {
                switch self {
                case .one, .oneOrMore: true
                case .any: false
                }
            }

            var isSeveral: Bool {
                switch self {
                case .one: false
                case .oneOrMore(let limit), .any(let limit): limit > 1
                }
            }
        }

        var placeholder: String
        var count: Count
        var explanation: String
    }

    /// What a command does.
    enum Action: Sendable {
        /// It does its work in this process.
        case local(@Sendable (Invocation, Output) throws(UsageError) -> ProgramStatus)
        /// It asks the running service.
        case service(ServiceVerb)
    }

    /// A flag and what it takes.
    package struct Flag: Sendable {
        package enum Value: Hashable, Sendable {
            /// Present or not.
            case none
            case text
            case file
            case address
            case number(ClosedRange<Int64>)
            case historyID
            case choice([String])
        }

        var name: String
        var placeholder: String = ""
        var value: Value = .none
        var explanation: String
        /// Whether it may stand several times; its values are `Invocation.lists`.
        var isRepeatable = false
    }

    package struct Example: Sendable {
        var line: String
        var explanation: String
    }

    package var identifier: Identifier
    /// The words that name it: `["policy", "explain"]`.
    package var words: [String]
    package var group: Group
    package var summary: String
    package var explanation: String
    package var arguments: [Argument] = []
    package var flags: [Flag] = []
    package var examples: [Example] = []
    /// What the statuses mean for this command; those that are the same everywhere are not repeated.
    package var statuses: [(ProgramStatus, String)] = []
    /// What it does.
    var action: Action
    /// Whether it prints data, so has `--json`.
    package var printsData = false
    /// Whether it reads a configuration, so has `--config` and `--overlay`.
    package var readsConfiguration = true

    package var name: String { words.joined(separator: " ") }

    /// What it asks the running service for over the control socket; nil where it asks for nothing.
    package var verb: ServiceVerb? {
        switch action {
        case .local: nil
        case .service(let verb): verb
        }
    }

    /// Its own flags and those it shares with others.
    package var allFlags: [Flag] {
        flags + (readsConfiguration ? Self.configurationFlags : []) + (printsData ? [Self.jsonFlag] : [])
            + [Self.helpFlag]
    }

    static let configurationFlags = [
        Flag(
            name: "config",
            placeholder: "FILE",
            value: .file,
            explanation: "the configuration (default: config/doorward.yaml, then /etc/doorward/doorward.yaml)"
        ),
        Flag(
            name: "overlay",
            placeholder: "FILE",
            value: .file,
            explanation:
                "a second file that may set store, control, redelivery_wait, stop, and connect, login and password of accounts"
        ),
    ]
    static let jsonFlag = Flag(name: "json", explanation: "print data for programs instead of words for people")
    static let helpFlag = Flag(name: "help", explanation: "show this help")
}
