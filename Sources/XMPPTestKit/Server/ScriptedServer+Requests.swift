public import XMPPCore

/// Requests to be added, and block lists.
extension ScriptedServer {
    /// Whom that account has blocked: contacts and domains.
    public func blocked(by jid: BareJID) -> [BareJID] {
        blockList(of: jid).compactMap { $0.resource == nil ? $0.bare : nil }
    }

    /// The block list of an account, with entries of single resources too.
    public func blockList(of jid: BareJID) -> [JID] { accounts[jid]?.blocked ?? [] }

    /// Sets the block list of an account, as another client of it would; nothing is pushed.
    public func block(_ jid: BareJID, _ items: [JID]) { accounts[jid]?.blocked = items }

    /// Somebody asks to be added: the request is kept, and delivered now if the account is available.
    ///
    /// The contact may have a resource; the text is the request's `<status/>`.
    public func ask(_ jid: BareJID, from contact: JID, _ message: String? = nil) {
        let status = message.map {
            [Element("status", namespace: Namespace.client, children: [.text($0)])]
        }
        ask(jid, from: contact, with: status ?? [])
    }

    /// The same with whatever a request may hold, such as the token of an invitation.
    public func ask(_ jid: BareJID, from contact: JID, with children: [Element]) {
        var stanza = Presence(.subscribe, to: JID(jid), children: children).element
        stanza[attribute: "from"] = contact.description
        accounts[jid]?.requests.removeAll { $0.contact == contact.bare }
        accounts[jid]?.requests.append((contact.bare, stanza))
        guard accounts[jid]?.isAvailable == true else { return }
        deliver(stanza, to: jid)
    }

    /// What waits is delivered again without what came in it, as ejabberd does it.
    public func forgetWhatRequestsBrought(to jid: BareJID) {
        guard let waiting = accounts[jid]?.requests else { return }
        accounts[jid]?.requests = waiting.map { contact, stanza in
            var bare = stanza
            bare.children = []
            return (contact, bare)
        }
    }
}
