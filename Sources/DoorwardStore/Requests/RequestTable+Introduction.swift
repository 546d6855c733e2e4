import XMPPCore

/// What a request brings beside its text: the last columns of its row.
extension RequestTable {
    static func bindIntroduction(of row: RequestRow, _ values: inout Binder) {
        values.text(row.token)
        values.integer(row.invitation)
        values.text(row.move?.from.description)
        values.text(row.move?.state.rawValue)
    }

    /// The invitation of the request's token, as far as it tells what that is worth.
    static let shownColumns =
        "i.id, i.account = r.account, i.contact IS NULL OR i.contact = r.contact, i.revoked_at IS NOT NULL,"
        + " i.expires_at <= r.last_seen_at, i.used >= i.uses"

    static func shown(_ row: inout SQLRow, _ request: RequestRow) throws(StoreError) -> ShownInvitation? {
        let id = try row.optionalInteger()
        let (isOurs, isMeant) = (try row.optionalFlag() ?? false, try row.optionalFlag() ?? false)
        let (isRevoked, isOld) = (try row.optionalFlag() ?? false, try row.optionalFlag() ?? false)
        let isUsedUp = try row.optionalFlag() ?? false
        guard request.token != nil else { return nil }
        guard let id else { return ShownInvitation(.unknown) }
        let worth: ShownInvitation.Worth =
            if !isOurs {
                .otherAccount
            } else if !isMeant {
                .otherContact
            } else if isRevoked {
                .revoked
            } else if isOld {
                .expired
            } else if isUsedUp, request.invitation != id {
                .usedUp
            } else {
                .valid
            }
        return ShownInvitation(worth, id: id)
    }

    static func move(_ row: inout SQLRow) throws(StoreError) -> MoveClaim? {
        let from = try row.optionalAddress()
        let state = try row.optionalText()
        guard let from else { return nil }
        guard let state = state.flatMap(MoveClaim.State.init(rawValue:)) else {
            throw .corrupt("how sure it is that a contact has moved")
        }
        return MoveClaim(from: from, state: state)
    }
}
