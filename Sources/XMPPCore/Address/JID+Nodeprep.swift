extension JID {
    /// Whether both are the same address for a server that still folds by nodeprep (RFC 6122), as Prosody and ejabberd
    /// do: they answer from `fussball@` what was sent to `fußball@`.
    ///
    /// For matching an answer with its request only, never for telling people apart.
    package func isEqualAsNodeprep(_ other: JID) -> Bool {
        guard sameBytes(bare.domain, other.bare.domain), sameBytes(resource, other.resource),
            let mine = bare.local, let others = other.bare.local
        else { return false }
        guard let left = Unistring.nfkcCaseFold(mine), let right = Unistring.nfkcCaseFold(others) else { return false }
        return sameBytes(left, right)
    }
}
