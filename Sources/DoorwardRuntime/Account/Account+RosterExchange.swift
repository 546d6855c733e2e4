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

    /// Adds are taken, each like one that an operator makes: written down with who suggested it, set, and asked.
    ///
    /// Whatever else is suggested a person decides.
    private func suggested(_ event: RosterExchangeModule.Event) {
        guard let session, session.isReady else { return }
        switch event {
        case .suggested(let exchange, let sender):
            let wanted = exchange.action == .add ? exchange.items.filter { mayAdd($0.jid, in: session) } : []
            let acts = configuration.mode == .enforce
            note(sender, added: acts ? wanted.count : 0, of: exchange.items.count, action: exchange.action.rawValue)
            if acts { add(wanted, suggestedBy: sender, in: session) }
        case .refused(let refusal, let sender):
            let why = refusal == .tooMany ? "over \(RosterExchange.limit) items" : "malformed"
            note(sender, added: 0, of: nil, action: nil, refused: why)
        }
    }

    private func mayAdd(_ contact: BareJID, in session: AccountSession) -> Bool {
        contact != jid && rosterFact(contact) == nil && session.blocking?.isBlocked(contact) != true
    }

    private func add(_ items: [RosterExchange.Item], suggestedBy sender: BareJID, in session: AccountSession) {
        guard !items.isEmpty, let number = session.ledger?.session else { return }
        let actions = items.map { item in
            ContactOrder.add(.init(name: item.name, groups: item.groups))
                .action(on: item.jid, of: jid, by: .suggestion(sender), item: nil, session: number)
        }
        // Unstructured: a callback of the stream does not wait for the disk. It is written before the read that brought it
        // counts as recorded, in the store's order.
        Task.immediate {
            do throws(StoreError) {
                try await environment.store.begin(actions, at: now)
            } catch {
                guard self.session === session else { return }
                return session.connection.abandon("the store failed: \(error)")
            }
            guard self.session === session else { return }
            takeUpBacklog(session, remark: nil)
        }
    }

    private func note(_ sender: BareJID, added: Int, of count: Int?, action: String?, refused: String? = nil) {
        let fields: [(String, String?)] = [
            ("from", sender.description), ("action", action), ("items", count.map { String($0) }),
            ("added", String(added)), ("refused", refused),
        ]
        environment.events(.noted(AccountNote(jid, "roster_exchange", fields)))
    }
}
