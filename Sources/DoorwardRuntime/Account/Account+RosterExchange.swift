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
    /// One that an operator could not make is written down with why, and passed over. Whatever else is suggested a person decides.
    private func suggested(_ event: RosterExchangeModule.Event) {
        guard let session, session.isReady else { return }
        switch event {
        case .suggested(let exchange, let sender):
            let wanted = exchange.action == .add ? exchange.items.filter { mayAdd($0.jid, in: session) } : []
            let checked = wanted.map { (contact: $0.jid, addition: Self.addition($0)) }
            let good = checked.count { if case .success = $0.addition { true } else { false } }
            let acts = configuration.mode == .enforce
            note(
                sender, added: acts ? good : 0, of: exchange.items.count + exchange.passedOver,
                passedOver: exchange.passedOver + checked.count - good, action: exchange.action.rawValue)
            if acts { add(checked, suggestedBy: sender, in: session) }
        case .refused(let refusal, let sender):
            let why = refusal == .tooMany ? "over \(RosterExchange.limit) items" : "malformed"
            note(sender, added: 0, of: nil, passedOver: nil, action: nil, refused: why)
        }
    }

    private func mayAdd(_ contact: BareJID, in session: AccountSession) -> Bool {
        contact != jid && rosterFact(contact) == nil && session.blocking?.isBlocked(contact) != true
    }

    /// What `contact add` would make of it.
    private static func addition(_ item: RosterExchange.Item) -> Result<ContactOrder.Addition, ContactText.Fault> {
        var what = "its name"
        do throws(ContactText.Fault) {
            var addition = ContactOrder.Addition()
            let name = try item.name.map(ContactText.shown)
            addition.name = name?.isEmpty == true ? nil : name
            what = "a group of it"
            for text in item.groups {
                let group = try ContactText.shown(text)
                guard !group.isEmpty else { throw ContactText.Fault(text: "has no name") }
                if !addition.groups.contains(where: { sameBytes($0, group) }) { addition.groups.append(group) }
            }
            return .success(addition)
        } catch {
            return .failure(ContactText.Fault(text: "passed over: \(what) \(error.text)"))
        }
    }

    private typealias Checked = (contact: BareJID, addition: Result<ContactOrder.Addition, ContactText.Fault>)

    private func add(_ items: [Checked], suggestedBy sender: BareJID, in session: AccountSession) {
        guard !items.isEmpty, let number = session.ledger?.session else { return }
        var refusals: [String?] = []
        let actions = items.map { item in
            var addition = ContactOrder.Addition()
            var refusal: String?
            switch item.addition {
            case .success(let good): addition = good
            case .failure(let fault): refusal = fault.text
            }
            refusals.append(refusal)
            return ContactOrder.add(addition)
                .action(on: item.contact, of: jid, by: .suggestion(sender), item: nil, session: number)
        }
        // Unstructured: a callback of the stream does not wait for the disk. It is written before the read that brought it
        // counts as recorded, in the store's order.
        Task.immediate {
            do throws(StoreError) {
                try await environment.store.begin(actions, refusals: refusals, at: now)
            } catch {
                guard self.session === session else { return }
                return session.connection.abandon("the store failed: \(error)")
            }
            guard self.session === session else { return }
            takeUpBacklog(session, remark: nil)
        }
    }

    private func note(
        _ sender: BareJID, added: Int, of count: Int?, passedOver: Int?, action: String?, refused: String? = nil
    ) {
        let fields: [(String, String?)] = [
            ("from", sender.description), ("action", action), ("items", count.map { String($0) }),
            ("added", String(added)), ("passed_over", passedOver.map { String($0) }), ("refused", refused),
        ]
        environment.events(.noted(AccountNote(jid, "roster_exchange", fields)))
    }
}
