package import XMPPCore

/// What is known of contacts' pictures.
extension Store {
    /// A change of it.
    package enum AvatarChange: Hashable, Sendable {
        /// This is known.
        case known(AvatarRow)
        /// The contact is none any more.
        case removed(BareJID)

        /// Of whom.
        package var contact: BareJID {
            switch self {
            case .known(let row): row.contact
            case .removed(let contact): contact
            }
        }
    }

    /// What is known of all contacts of an account, at most 50,000.
    package func avatars(of account: BareJID) throws(StoreError) -> [AvatarRow] {
        try AvatarTable(connection: openConnection()).rows(of: account, limit: 50_000)
    }

    /// What is known of one contact; nil where nothing is.
    package func avatar(of contact: BareJID, account: BareJID) throws(StoreError) -> AvatarRow? {
        try AvatarTable(connection: openConnection()).row(of: account, contact)
    }

    /// Forgets what is known of the contacts of all other accounts; the pictures themselves are shared, and go with their age.
    package func forgetAvatars(besides accounts: Set<BareJID>) throws(StoreError) {
        let connection = try openConnection()
        let table = AvatarTable(connection: connection)
        let kept = Set(accounts.map(\.description))
        let others = try table.accounts().filter { !kept.contains($0) }
        guard !others.isEmpty else { return }
        try connection.transaction { () throws(StoreError) in
            for account in others { try table.forget(account) }
        }
    }

    /// Writes what has become known, in one transaction.
    package func save(_ changes: [AvatarChange], of account: BareJID) throws(StoreError) {
        guard !changes.isEmpty else { return }
        let connection = try openConnection()
        let table = AvatarTable(connection: connection)
        try connection.transaction { () throws(StoreError) in
            for change in changes {
                switch change {
                case .known(let row): try table.write(row, of: account)
                case .removed(let contact): try table.remove(contact, of: account)
                }
            }
        }
    }
}
