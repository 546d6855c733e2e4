import Foundation

/// A second client of an account that is nobody's of this project: slixmpp, as Debian has it.
///
/// Each visit logs in over TLS, does what it is told in order, looks at the roster and the block list, and leaves.
struct SlixmppClient: Sendable {
    /// What it can be told to do.
    enum Order: Sendable {
        case approve(String)
        case deny(String)
        case ask(String)
        case cancel(String)
        /// Sets the whole item.
        case item(String, name: String?, groups: [String])
        case remove(String)
        case block(String)
        case unblock(String)

        fileprivate var json: JSON {
            switch self {
            case .approve(let jid): .array([.string("approve"), .string(jid)])
            case .deny(let jid): .array([.string("deny"), .string(jid)])
            case .ask(let jid): .array([.string("ask"), .string(jid)])
            case .cancel(let jid): .array([.string("cancel"), .string(jid)])
            case .item(let jid, let name, let groups):
                .array([
                    .string("item"), .string(jid), name.map { .string($0) } ?? .null,
                    .array(groups.map { .string($0) }),
                ])
            case .remove(let jid): .array([.string("remove"), .string(jid)])
            case .block(let jid): .array([.string("block"), .string(jid)])
            case .unblock(let jid): .array([.string("unblock"), .string(jid)])
            }
        }
    }

    /// What it saw at the end.
    struct Sight: Sendable {
        var roster: [String: Guest.Item]
        var blocked: [String]
    }

    private let account: Deployment.Account

    init(_ account: Deployment.Account) { self.account = account }

    @discardableResult
    func visit(_ orders: Order...) async throws -> Sight {
        let script = try Servers.folder("slixmpp-client.py")
        let output = try await run(
            // Debian's own, since that has Debian's slixmpp.
            "/usr/bin/python3",
            [
                script, account.jid, "127.0.0.1", String(account.port), account.caFile,
                try JSON.array(orders.map(\.json)).text,
            ], environment: ["PASSWORD": account.password, "PYTHONDONTWRITEBYTECODE": "1"])
        guard output.status == 0 else {
            throw HarnessError("slixmpp as \(account.jid): status \(output.status), \(output.errors.suffix(2000))")
        }
        let seen = try output.json
        guard case .object(let items) = seen["roster"] else { throw HarnessError("no roster in \(output.output)") }
        return Sight(
            roster: items.mapValues { item in
                Guest.Item(
                    subscription: item["subscription"].string ?? "", asked: item["asked"].bool == true,
                    name: item["name"].string.flatMap { $0.isEmpty ? nil : $0 },
                    groups: item["groups"].array.compactMap(\.string))
            }, blocked: seen["blocked"].array.compactMap(\.string))
    }
}
