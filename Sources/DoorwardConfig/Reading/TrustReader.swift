import XMPPCore

/// Reads whom an account trusts with its contact list.
struct TrustReader {
    private static let limit = 32

    let reader: FileReader

    /// The value of `trusted_rosterx`: gateways and group services, each once.
    func trusted(_ node: YAMLNode) -> Set<BareJID> {
        let what = "trusted_rosterx"
        guard let items = reader.sequence(node, what, example: "[gateway.example.org]") else { return [] }
        if items.count > Self.limit {
            reader.report(FaultCatalogue.outOfRange, node.mark, "\(what) has more than \(Self.limit) entries")
        }
        return Set(items.prefix(Self.limit).compactMap { address($0) })
    }

    private func address(_ node: YAMLNode) -> BareJID? {
        guard let text = reader.text(node, "an address") else { return nil }
        do {
            let jid = try JID(text)
            if jid.resource == nil { return jid.bare }
            reader.report(
                FaultCatalogue.notAnAddress, node.mark, "\(reader.quoted(text, node.mark)) has a resource; leave it out"
            )
        } catch {
            reader.report(
                FaultCatalogue.notAnAddress, node.mark, "\(reader.quoted(text, node.mark)) is no address: \(error)")
        }
        return nil
    }
}
