import XMPPCore

/// What a request brings beside its text: the last columns of its row.
extension RequestTable {
    static func bindIntroduction(of row: RequestRow, _ values: inout Binder) {
        values.text(row.token)
        values.integer(row.invitation)
        values.text(row.move?.from.description)
        values.text(row.move?.state.rawValue)
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
