package import XMPPCore

/// Logins, and sessions that outlive their process.
extension Store {
    /// What is kept of an account's logins; nil before the first.
    package func login(of account: BareJID) throws(StoreError) -> LoginRow? {
        try LoginTable(connection: openConnection()).row(account)
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
