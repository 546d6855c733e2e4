import DoorwardConfig
import Testing

@testable import DoorwardConsole

/// Answers about contacts, block lists, invitations, pictures and modules, with a text in each field that others can fill.
enum ContactWords {
    private static func object(_ members: (String, JSONValue)...) -> JSONValue {
        .object(members.map { JSONMember($0.0, $0.1) })
    }

    static let changed = object(
        ("account", .string("a@x.example")), ("contact", .string("b@x.example")), ("outcome", .string("done")),
        ("name", .string("B")), ("groups", .strings(["g", "h"])), ("subscription", .string("none")),
        ("delayed", .string("x")), ("request", .integer(7)), ("error", .string("x")))
    static let blocked = object(
        ("blocked", .strings(["b@x.example", "x.example"])), ("unblocked", .strings(["c@x.example"])),
        ("report", .string("spam")), ("covered", .array([.integer(7)])))
    static let blockList = JSONValue.array([
        object(("jid", .string("b@x.example/r")), ("covers", .string("resource"))),
        object(("jid", .string("x.example")), ("covers", .string("domain"))),
    ])
    static let invitation = object(
        ("id", .integer(3)), ("account", .string("a@x.example")), ("for", .string("b@x.example")),
        ("uses", .integer(2)),
        ("uses_left", .integer(1)), ("expires_at", .string("2026-01-05T12:00:00Z")), ("state", .string("valid")),
        ("made_by", .string("ana")), ("uri", .string("xmpp:a@x.example?roster;preauth=x;name=A")))
    static let invitations = JSONValue.array([invitation])
    static let avatar = object(
        ("account", .string("a@x.example")), ("contact", .string("b@x.example")), ("type", .string("image/png")),
        ("bytes", .integer(9)), ("source", .string("pep")), ("origin", .string("cache")))
    static let modules = object(
        ("version", .string("1")), ("started_at", .string("2026-01-05T12:00:00Z")), ("alerts", .array([])),
        (
            "accounts",
            .array([
                object(
                    ("jid", .string("a@x.example")), ("state", .string("online")),
                    ("since", .string("2026-01-05T12:00:00Z")),
                    ("policy", .string("p")), ("mode", .string("enforce")), ("contacts", .integer(1)),
                    ("pending", .integer(1)), ("last_error", .string("x")),
                    (
                        "modules",
                        .array([
                            object(
                                ("name", .string("m")), ("state", .string("stuck")), ("reason", .string("x")),
                                ("dropped", .integer(1)), ("errors", .integer(1)))
                        ])
                    ))
            ])
        ))

    static let command = CommandTable.commands[0]
}
