public import XMPPCore

/// What others say.
extension ScriptedServer {
    /// Delivers a message of somebody to an account, over its link or to its session for later.
    ///
    /// - Parameters:
    ///   - message: What is said; whom it is addressed to does not matter.
    ///   - sender: Who says it.
    ///   - account: Whom to.
    public func deliver(_ message: Message, from sender: JID, to account: BareJID) {
        var stanza = message.element
        stanza[attribute: "from"] = sender.description
        stanza[attribute: "to"] = account.description
        deliver(stanza, to: account)
    }

    /// The same for a chat message of these words.
    public func say(_ body: String, from sender: JID, to account: BareJID) {
        lastSaid += 1
        deliver(Message(to: JID(account), id: "said-\(lastSaid)", body: body), from: sender, to: account)
    }
}
