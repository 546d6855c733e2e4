package import XMPPCore

/// One look into a store that another process may be using: it takes no lock that a service waits for, and writes nothing.
package enum StoreGlance {
    /// What an account's logins have shown; the token is left where it is.
    ///
    /// - Parameters:
    ///   - account: Whose.
    ///   - path: The store's file.
    /// - Returns: Nil where there is no store yet, or it knows nothing of the account.
    /// - Throws: Where there is one, and it cannot be read.
    package static func login(
        of account: BareJID, inStoreAt path: String
    ) throws(StoreError) -> (isStrong: Bool, isBound: Bool)? {
        guard try StoreFile.exists(path) else { return nil }
        let connection = try Connection(reading: path)
        try connection.execute("PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")
        guard try Migration.isReadable(connection, from: Migration.withLogins) else { return nil }
        return try LoginTable(connection: connection).row(account).map { ($0.isStrong, $0.isBound) }
    }
}
