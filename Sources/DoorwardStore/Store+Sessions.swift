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
    ///
    /// One that cannot be read is forgotten: the next login brings all of it again.
    package func savedSession(of account: BareJID) throws(StoreError) -> SavedSession? {
        try readable(account) { table throws(StoreError) in try table.session(account) } ?? nil
    }

    /// What that session knew of contacts; nil where it cannot be read, and then the session is forgotten with it.
    package func mirror(of account: BareJID) throws(StoreError) -> SessionMirror? {
        try readable(account) { table throws(StoreError) in try table.mirror(account) }
    }

    private func readable<Value>(
        _ account: BareJID, _ body: (SessionTable) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        let connection = try openConnection()
        let table = SessionTable(connection: connection)
        do throws(StoreError) {
            return try body(table)
        } catch {
            guard error.code == .corrupt else { throw error }
            try connection.transaction { () throws(StoreError) in try table.forget(account) }
            return nil
        }
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
