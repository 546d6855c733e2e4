package import XMPPCore

/// Logins, and sessions that outlive their process.
extension Store {
    /// What is kept of an account's logins; `userAgent` is an id to keep where the account has none yet.
    package func login(of account: BareJID, proposing userAgent: String) throws(StoreError) -> LoginRow {
        let table = LoginTable(connection: try openConnection())
        if let row = try table.row(account) { return row }
        let row = LoginRow(userAgent: userAgent)
        try table.write(row, of: account)
        return row
    }

    package func save(_ login: LoginRow, of account: BareJID) throws(StoreError) {
        try LoginTable(connection: openConnection()).write(login, of: account)
    }

    /// Forgets how the account's logins went, and its token; it stays the same installation to the server.
    package func forgetLogin(of account: BareJID) throws(StoreError) {
        let table = LoginTable(connection: try openConnection())
        guard let row = try table.row(account) else { return }
        try table.write(LoginRow(userAgent: row.userAgent), of: account)
    }

    /// The session that may go on, if any.
    package func savedSession(of account: BareJID) throws(StoreError) -> SavedSession? {
        try SessionTable(connection: openConnection()).session(account)
    }

    /// What that session knew of contacts.
    package func mirror(of account: BareJID) throws(StoreError) -> SessionMirror {
        try SessionTable(connection: openConnection()).mirror(account)
    }

    /// The account's session is over.
    package func discardSession(of account: BareJID) throws(StoreError) {
        try SessionTable(connection: openConnection()).discard(account)
    }

    /// All sessions are over.
    package func discardSessions() throws(StoreError) {
        try SessionTable(connection: openConnection()).discardAll()
    }
}
