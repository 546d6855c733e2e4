public import XMPPCore

/// What happens to an account, as its modules hear of it.
///
/// More kinds may come: let a `switch` end with `default`.
public enum ModuleEvent: Sendable {
    /// A session began, or went on over another connection: from now on something can be sent. With our full address.
    case online(JID)
    /// There is no session; another one follows by itself.
    case offline
    /// A message, of any type. The contact is its sender as the roster had him then; nil for whoever is not in it.
    case message(Message, from: ModuleContact?)
    /// A presence that tells whether somebody is there.
    case presence(Presence, from: ModuleContact?)
    /// A contact is new, or its entry was set anew: as it is now.
    case contact(ModuleContact)
    /// Somebody is no contact any more.
    case contactRemoved(BareJID)
    /// A subscription request was decided, by a rule or by a person, and the server has the answer.
    case decision(ModuleDecision)
    /// A request (IQ) in one of the module's namespaces, to be answered by ``ModuleContext/answer(_:with:)``.
    ///
    /// Where the call ends without an answer, it is refused as what nobody knows.
    case request(ModuleRequest)
    /// What became of a message of the account that asked for a receipt; also of those of its other modules.
    case receipt(ModuleReceipt)
}

/// What became of a message that asked for a receipt (XEP-0184).
public struct ModuleReceipt: Hashable, Sendable {
    /// The id of the message, as ``ModuleContext/send(_:wantsReceipt:)`` has returned it.
    public let id: String
    /// Where it arrived, or did not.
    public let at: JID
    /// Why it came back; nil where it arrived.
    public let error: StanzaError?

    /// A receipt.
    public init(id: String, at: JID, error: StanzaError? = nil) {
        (self.id, self.at, self.error) = (id, at, error)
    }
}

/// A request that a module is to answer.
public struct ModuleRequest: Sendable {
    /// It; its payload is in one of the module's namespaces.
    public let iq: IQ
    /// Who asks, as the roster had him; nil for whoever is not in it.
    public let contact: ModuleContact?
    let number: UInt64
}

/// What became of somebody's subscription request.
public struct ModuleDecision: Hashable, Sendable {
    /// Who asked.
    public let contact: BareJID
    /// Whether he may see the account's presence.
    public let isAccepted: Bool
    /// The nickname that came with the request (XEP-0172).
    public let nickname: String?

    /// A decision.
    public init(contact: BareJID, isAccepted: Bool, nickname: String? = nil) {
        (self.contact, self.isAccepted, self.nickname) = (contact, isAccepted, nickname)
    }
}
