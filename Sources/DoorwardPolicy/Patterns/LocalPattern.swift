import XMPPCore

/// The part of an address before the `@`, as a policy writes it.
enum LocalPattern: Hashable, Sendable {
    case exact(PreparedText)
    case wildcard(Wildcard)

    init(_ text: some StringProtocol) throws(PatternError) {
        guard !text.isEmpty else { throw .empty }
        guard !text.utf8.contains(UInt8(ascii: "@")), !text.utf8.contains(UInt8(ascii: "/")) else {
            throw PatternError(.notALocalPart, "this stands before the '@' of an address, and holds no '@' or '/'")
        }
        var pieces: [String] = []
        for piece in text.split(separator: "*", omittingEmptySubsequences: false) {
            pieces.append(piece.isEmpty ? "" : try LocalPattern.prepare(piece))
        }
        if let wildcard = Wildcard(pieces: pieces) {
            self = .wildcard(wildcard)
        } else {
            self = .exact(PreparedText(pieces.joined()))
        }
    }

    func matches(_ local: String) -> Bool {
        switch self {
        case .exact(let text): text.text.utf8.elementsEqual(local.utf8)
        case .wildcard(let wildcard): wildcard.matches(local)
        }
    }

    /// Folds a piece as RFC 7622 section 3.3 folds a whole local part, so that it meets prepared text.
    private static func prepare(_ piece: some StringProtocol) throws(PatternError) -> String {
        do {
            return try BareJID("\(piece)@pattern.invalid").local ?? ""
        } catch {
            throw PatternError(.notALocalPart, error)
        }
    }
}
