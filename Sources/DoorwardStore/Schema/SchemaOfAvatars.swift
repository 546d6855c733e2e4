extension Migration {
    /// What is known of contacts' pictures; the pictures themselves are files (``AvatarFiles``).
    static let schemaOfAvatars = Migration(
        sql: """
            CREATE TABLE avatar(
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                -- SHA-1 of the picture in hexadecimal digits; null where the contact has none.
                hash TEXT,
                -- Where that was announced: null where nothing is known but that something failed.
                source TEXT CHECK (source = 'pep' OR source = 'vcard'),
                checked_at INTEGER NOT NULL,
                -- A picture that the contact announces and does not have: it is not asked for before that time.
                failed_hash TEXT,
                failed_until INTEGER,
                PRIMARY KEY (account, contact)
            ) STRICT, WITHOUT ROWID;
            """
    )
}
