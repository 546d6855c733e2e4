import XMPPCore

/// A bare address as a policy writes it: exact, or with `*` in either part.
enum AddressPattern: Hashable, Sendable {
    case exact(BareJID)
    /// An address with a local part.
    case account(LocalPattern, DomainPattern)
    /// A server's own address, without a local part.
    case server(DomainPattern)

    init(_ text: String) throws(PatternError) {
        guard !text.isEmpty else { throw .empty }
        if PatternText.isRegularExpression(text) { throw .regularExpression }
        guard !text.utf8.contains(UInt8(ascii: "/")) else {
            throw PatternError(.resource, "addresses are compared without a resource; leave out the '/' and the rest")
        }
        guard text.utf8.contains(UInt8(ascii: "*")) else {
            do {
                self = .exact(try BareJID(text))
            } catch {
                throw PatternError(.notAnAddress, error)
            }
            return
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        switch (parts.first, parts.dropFirst().first, parts.count) {
        case (let domain?, nil, 1): self = .server(try DomainPattern(domain))
        case (let local?, let domain?, 2): self = .account(try LocalPattern(local), try DomainPattern(domain))
        case (_, _, _): throw PatternError(.notAnAddress, "an address has one '@'")
        }
    }

    func matches(_ address: BareJID) -> Bool {
        switch (self, address.local) {
        case (.exact(let exact), _): exact == address
        case (.account(let local, let domain), let name?): local.matches(name) && domain.matches(address.domain)
        case (.server(let domain), nil): domain.matches(address.domain)
        case (.account, nil), (.server, _?): false
        }
    }
}

enum PatternText {
    static func isRegularExpression(_ text: String) -> Bool {
        let slash = UInt8(ascii: "/")
        return text.utf8.count >= 2 && text.utf8.first == slash && text.utf8.last == slash
    }
}
