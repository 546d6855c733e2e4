import XMPPCore

/// A domain as a policy writes it.
enum DomainPattern: Hashable, Sendable {
    case exact(PreparedText)
    /// `*.example.org`: its subdomains at any depth, not itself.
    case below(PreparedText)
    case wildcard(Wildcard)

    init(_ text: some StringProtocol) throws(PatternError) {
        guard !text.isEmpty else { throw .empty }
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw PatternError(.notADomain, "this is an address; write only what stands behind the '@'")
        }
        guard !text.utf8.contains(UInt8(ascii: "/")) else {
            throw PatternError(.notADomain, "a domain holds no '/'")
        }
        guard text.utf8.contains(UInt8(ascii: "*")) else {
            self = .exact(PreparedText(try DomainPattern.prepare(text)))
            return
        }
        if text.hasPrefix("*."), !text.dropFirst(2).utf8.contains(UInt8(ascii: "*")) {
            self = .below(PreparedText(try DomainPattern.prepare(text.dropFirst(2))))
            return
        }
        let prepared = try DomainPattern.prepareLabels(text)
        let pieces = prepared.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard let wildcard = Wildcard(pieces: pieces) else {
            throw PatternError(.notADomain, "not a host name")
        }
        self = .wildcard(wildcard)
    }

    func matches(_ domain: String) -> Bool {
        switch self {
        case .exact(let text): text.text.utf8.elementsEqual(domain.utf8)
        case .below(let parent): DomainPattern.parents(of: domain).contains(parent)
        case .wildcard(let wildcard): wildcard.matches(domain)
        }
    }

    /// Every domain that this one lies below: `a.b.c` gives `b.c` and `c`.
    static func parents(of domain: String) -> [PreparedText] {
        var parents: [PreparedText] = []
        var rest = Substring(domain)
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            parents.append(PreparedText(rest))
        }
        return parents
    }

    private static func prepare(_ text: some StringProtocol) throws(PatternError) -> String {
        do {
            return try BareJID(String(text)).domain
        } catch {
            throw PatternError(.notADomain, error)
        }
    }

    /// Prepares a pattern label by label: runs of whole labels as a domain, pieces of a label by themselves.
    private static func prepareLabels(_ text: some StringProtocol) throws(PatternError) -> String {
        var prepared: [String] = []
        var whole: [String] = []
        // A final dot is the root's, and no part of the name.
        let text = text.hasSuffix(".") ? String(text.dropLast()) : String(text)
        for label in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard label.utf8.contains(UInt8(ascii: "*")) else {
                whole.append(String(label))
                continue
            }
            if !whole.isEmpty { prepared.append(try prepare(whole.joined(separator: "."))) }
            whole = []
            var pieces: [String] = []
            for piece in label.split(separator: "*", omittingEmptySubsequences: false) {
                pieces.append(try preparePiece(piece))
            }
            prepared.append(pieces.joined(separator: "*"))
        }
        if !whole.isEmpty { prepared.append(try prepare(whole.joined(separator: "."))) }
        return prepared.joined(separator: ".")
    }

    private static func preparePiece(_ piece: Substring) throws(PatternError) -> String {
        if piece.isEmpty { return "" }
        // A piece such as `mail-` is no host name, though a label may hold it.
        let isHostText = piece.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isHostText ? piece.lowercased() : try prepare(piece)
    }
}
