import XMPPClient
import XMPPCore
import XMPPModules

/// The bytes are what stands between a header and the end of a stream; all modules read each element in it.
func fuzzModules(_ input: [UInt8]) -> String? {
    let parser = XMLStreamParser(limits: .normal)
    for case .element(let element) in parser.feed(Array(streamHeader.utf8) + input) {
        if let fault = stanza(element) ?? payloads(of: element) { return fault }
    }
    return nil
}

/// Whatever stands where, in case a payload is reached by another way.
private func payloads(of element: Element) -> String? {
    if let fault = roster(element) ?? card(element) ?? form(element) ?? others(element) { return fault }
    for child in element.elements {
        if let fault = payloads(of: child) { return fault }
    }
    return nil
}

private func roster(_ query: Element) -> String? {
    let items = RosterPayload.items(in: query)
    let roster = Roster(items)
    var last: [BareJID: RosterItem] = [:]
    for item in items { last[item.jid] = item }
    guard roster.count == last.count, roster.allSatisfy({ last[$0.jid] == $0 }) else { return "a roster that changes" }
    guard RosterComparison(from: roster, to: Roster(roster)).isEmpty else { return "a roster that is not itself" }
    for item in items {
        guard item.name?.isEmpty != true, !item.groups.contains(where: \.isEmpty) else { return "an empty name" }
        let again = RosterPayload.items(in: RosterPayload.set(item.jid, name: item.name, groups: item.groups)).first
        guard let again, again.jid == item.jid, sameBytes(again.name, item.name), again.groups == item.groups else {
            return "an item that is set as another one"
        }
    }
    _ = RosterPayload.changes(in: query)
    if let suggestion = try? RosterExchange(query), suggestion.items.count > RosterExchange.limit {
        return "too many suggestions"
    }
    return nil
}

private func card(_ element: Element) -> String? {
    if var card = VCard(element) {
        _ = (card.nickname, card.url, card.about, card.birthday, card.jabberID, card.title, card.name, card.labels)
        let (addresses, telephones, emails) = (card.addresses, card.telephones, card.emails)
        guard [addresses.count, telephones.count, emails.count].allSatisfy({ $0 <= VCard.limit }) else {
            return "a card of too much"
        }
        card.fullName = "Ann"
        (card.addresses, card.telephones, card.emails) = (addresses, telephones, emails)
        guard card.fullName == "Ann", card.addresses == addresses, card.telephones == telephones, card.emails == emails
        else { return "a card that changes when it is written" }
        _ = card.photo
    }
    if var card = VCard4(element) {
        _ = (card.nickname, card.note, card.url, card.address, card.kind)
        card.fullName = "Ann"
        guard card.fullName == "Ann" else { return "a card without its name" }
    }
    if let metadata = AvatarMetadata(element) {
        guard metadata.infos.count <= AvatarMetadata.limit else { return "too many pictures" }
        _ = (metadata.best(), metadata.element)
    }
    if let bytes = AvatarDataPayload.bytes(in: element), bytes.count > AvatarImage.limit { return "a picture too big" }
    return nil
}

private func form(_ element: Element) -> String? {
    guard let form = DataForm(element) else { return nil }
    guard form.fields.count <= DataForm.fieldLimit, form.rows.count <= DataForm.rowLimit else {
        return "a form too big"
    }
    guard let again = DataForm(form.element) else { return "a form that cannot be read again" }
    guard again == form else { return "a form that changes: \(form) \(again)" }
    _ = (form.formType, try? form.filled(in: form))
    return nil
}

private func others(_ element: Element) -> String? {
    if let info = DiscoPayload.info(in: element) {
        guard let again = DiscoPayload.info(in: DiscoPayload.query(info)) else { return "information that is none" }
        guard CapsHash(.first, .sha1, of: info) == CapsHash(.first, .sha1, of: again) else {
            return "capabilities that change"
        }
        _ = CapsHash(.second, .sha256, of: info)
    }
    _ = (DiscoPayload.items(in: element), DiscoPayload.features(in: element), CapsPayload.announcement(in: element))
    _ = (CommandRequest(element), CommandResponse(element), BlockList(BlockingPayload.items(in: element)))
    _ = (MovedPayload.newAddress(in: element), PubSubPayload.items(in: element, of: Namespace.avatarMetadata))
    return nil
}

private func stanza(_ element: Element) -> String? {
    guard let account = try? BareJID("bot@gate.test") else { return "no account" }
    switch Stanza(element) {
    case .presence(let presence):
        let said = ResourcePresence(presence, at: Timestamp(milliseconds: 1_000_000))
        if said.status?.utf8.count ?? 0 > ResourcePresence.statusLimit { return "a status too long" }
        if let since = said.idleSince, since > said.at { return "idle from tomorrow on" }
        _ = (VCardUpdate(presence), InvitationURI.token(in: presence))
        if let from = presence.from { _ = MovedPayload.oldAddress(in: presence, from: from.bare) }
    case .message(let message):
        _ = (ReplyPayload.reply(in: message), ReplyPayload.text(of: message), ReceiptPayload.receipt(for: message))
        _ = (ReceiptPayload.confirmed(by: message), PubSubEvent(message, to: account))
    case .iq(let request):
        let module = RosterModule(account: account) { _ in }
        if case .result? = Optional(module.received(request: request)), let from = request.from, from != JID(account) {
            return "a roster push of somebody else is taken"
        }
        if module.items.count > 1 { return "a push of more than one item" }
        if let query = request.payload {
            module.loaded(query)
            if module.items.count > RosterModule.limit { return "a roster too long" }
        }
    case nil: break
    }
    return nil
}
