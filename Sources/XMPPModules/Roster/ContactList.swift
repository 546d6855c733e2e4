public import XMPPClient
import XMPPCore

/// The contacts of an account as people read them, live: as views of one moment, and as a stream of changes.
///
/// It stands behind the modules that it follows, and sorts nothing before somebody asks.
///
/// ```swift
/// options.modules = {
///     let roster = RosterModule(account: account) { _ in }
///     let presence = PresenceModule(account: account, roster: roster)
///     return [roster, presence, ContactList(roster: roster, presence: presence, order: .presence)]
/// }
/// let view = await client.withModule(ContactList.self) { $0.view }
/// ```
public final class ContactList: SessionModule {
    /// How many changes wait in a stream for its reader; of more the oldest are dropped (``RosterChange/number``).
    public static let streamBound = 256

    private let roster: RosterModule
    private let presence: PresenceModule?
    private let order: RosterView.Order
    private var sorted: RosterOrder?
    private var number: UInt64 = 0
    private var sinks: [AsyncStream<RosterChange>.Continuation] = []

    /// A list that follows these.
    ///
    /// - Parameters:
    ///   - roster: Whose contacts.
    ///   - presence: Says who is there; nil shows nobody.
    ///   - order: How they are sorted.
    public init(roster: RosterModule, presence: PresenceModule? = nil, order: RosterView.Order = .name) {
        (self.roster, self.presence, self.order) = (roster, presence, order)
        roster.observers.append { [weak self] in self?.willChange($0) }
        roster.listen { [weak self] in self?.rosterChanged($0) }
        presence?.listen { [weak self] in self?.presenceChanged($0) }
    }

    deinit {
        for sink in sinks { sink.finish() }
    }

    /// It answers no requests.
    public var namespaces: [String] { [] }

    /// The contacts at this moment.
    public var view: RosterView {
        let items = roster.items
        let sorted =
            self.sorted ?? RosterOrder(items, isByPresence: order == .presence) { self.rank($0) }
        self.sorted = sorted
        return RosterView(items, sorted, number: number)
    }

    /// The changes from now on, each with its number; the stream ends with this list, which is the end of its session.
    ///
    /// Begin with a ``view``, and leave out the changes up to its ``RosterView/number``.
    public func changes() -> AsyncStream<RosterChange> {
        let (stream, sink) = AsyncStream<RosterChange>.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
        sinks.append(sink)
        return stream
    }

    // MARK: What is followed

    /// Before a push is applied: by the old name it is found.
    private func willChange(_ contact: BareJID) {
        guard let slot = roster.items.slot(of: contact) else { return }
        sorted?.remove(slot, roster.items)
    }

    private func rosterChanged(_ event: RosterEvent) {
        switch event {
        case .ended(.whole), .ended(.unchanged):
            sorted = nil
            tell(.loaded)
        case .changed(.set(let item), let before, _):
            if let slot = roster.items.slot(of: item.jid) {
                sorted?.insert(slot, roster.items, rank: rank(item.jid))
            }
            tell(.item(item), isNew: before == nil)
        case .changed(.remove(let jid), let before, _):
            if before != nil { tell(.removed(jid)) }
        case .began, .item, .ended(.failed), .refused, .left:
            break
        }
    }

    private func presenceChanged(_ event: PresenceEvent) {
        switch event {
        case .available(let jid, _, _): rankChanged(jid.bare)
        case .unavailable(let jid): rankChanged(jid.bare)
        case .gone(let contact): rankChanged(contact)
        case .moved: break
        case .cleared:
            sorted = nil
            tell(.loaded)
        }
    }

    private func rankChanged(_ contact: BareJID) {
        guard let slot = roster.items.slot(of: contact) else { return }
        let rank = rank(contact)
        if sorted?.rank(of: slot) == rank { return }
        sorted?.setRank(slot, rank, roster.items)
        tell(.presence(contact, ResourcePresence.Show(rawValue: rank)))
    }

    private func rank(_ contact: BareJID) -> UInt8 { presence?.show(of: contact)?.rawValue ?? RosterOrder.offline }

    private func tell(_ kind: RosterChange.Kind, isNew: Bool = false) {
        number &+= 1
        let change = RosterChange(number: number, kind: kind, isNew: isNew)
        sinks.removeAll { sink in
            if case .terminated = sink.yield(change) { true } else { false }
        }
    }
}
