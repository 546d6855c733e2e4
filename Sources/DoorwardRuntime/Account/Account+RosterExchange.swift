import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// Contacts that a trusted gateway or group service suggests (XEP-0144).
extension Account {
    func makeRosterExchange() -> RosterExchangeModule {
        RosterExchangeModule(
            isTrusted: { [unowned self] in configuration.trustedRosterExchange.contains($0) },
            onEvent: { [unowned self] in suggested($0) })
    }

    /// Adds are taken, each like one that an operator makes: the item is set, and the contact asked.
    ///
    /// Whatever else is suggested a person decides.
    private func suggested(_ event: RosterExchangeModule.Event) {
        guard let session, session.isReady else { return }
        switch event {
        case .suggested(let exchange, let sender):
            let wanted = exchange.action == .add ? exchange.items.filter { mayAdd($0.jid, in: session) } : []
            let acts = configuration.mode == .enforce
            if acts { sendNow(wanted.flatMap { adding($0, in: session) }, in: session) }
            note(sender, added: acts ? wanted.count : 0, of: exchange.items.count, action: exchange.action.rawValue)
        case .refused(let refusal, let sender):
            let why = refusal == .tooMany ? "over \(RosterExchange.limit) items" : "malformed"
            note(sender, added: 0, of: nil, action: nil, refused: why)
        }
    }

    private func mayAdd(_ contact: BareJID, in session: AccountSession) -> Bool {
        contact != jid && rosterFact(contact) == nil && session.blocking?.isBlocked(contact) != true
    }

    private func adding(_ item: RosterExchange.Item, in session: AccountSession) -> [Element] {
        // A refusal shows in the roster, where the item is missing.
        let set = session.connection.request(
            .set, RosterPayload.set(item.jid, name: item.name, groups: item.groups), reply: { _ in })
        guard let set else { return [] }
        return [set, SubscriptionPayload.presence(.subscribe, to: item.jid)]
    }

    private func note(_ sender: BareJID, added: Int, of count: Int?, action: String?, refused: String? = nil) {
        let fields: [(String, String?)] = [
            ("from", sender.description), ("action", action), ("items", count.map { String($0) }),
            ("added", String(added)), ("refused", refused),
        ]
        environment.events(.noted(AccountNote(jid, "roster_exchange", fields)))
    }
}
