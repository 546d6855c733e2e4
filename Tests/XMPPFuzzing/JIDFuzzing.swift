import XMPPCore

func fuzzJID(_ input: [UInt8]) -> String? {
    let text = String(decoding: input, as: UTF8.self)
    let unescaped = JIDEscaping.unescape(text)
    if let escaped = try? JIDEscaping.escape(text), !same(JIDEscaping.unescape(escaped), text) {
        return "escaped and not the same again: \(unescaped)"
    }
    guard let jid = try? JID(text) else {
        return (try? BareJID(text)) == nil ? nil : "a bare address that is no address"
    }
    guard let again = try? JID(jid.description), again == jid, same(again.description, jid.description) else {
        return "a prepared address is another one"
    }
    for part in [jid.bare.local, jid.bare.domain, jid.resource] {
        if let part, !(1...1023).contains(part.utf8.count) { return "a part of \(part.utf8.count) bytes" }
    }
    if jid.bare.local?.utf8.contains(where: "\"&'/:<>@ ".utf8.contains) == true { return "a forbidden character" }
    if jid.bare.domain.utf8.contains(where: "/@ ".utf8.contains) { return "a separator in the domain" }
    guard (try? DomainName(jid.bare.domain)) == jid.bare.domainName,
        (try? DomainName(jid.bare.asciiDomain)) == jid.bare.domainName,
        jid.bare.asciiDomain.utf8.allSatisfy({ $0 < 0x80 })
    else { return "a domain that is another one in A-labels" }
    guard (try? BareJID(local: jid.bare.local, domain: jid.bare.domainName)) == jid.bare else {
        return "parts that make another address"
    }
    if let resource = jid.resource, (try? JID(jid.bare, resource: resource)) != jid { return "a resource that changes" }
    _ = jid.isEqualAsNodeprep(jid)
    return nil
}

private func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
