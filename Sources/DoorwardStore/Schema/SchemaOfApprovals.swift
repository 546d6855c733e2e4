extension Migration {
    /// Who may add an account without being asked about, since an operator has said so ahead.
    static let approvals = Migration(
        sql: """
            -- Servers do not show it (Prosody), and lose it with any change of the item: this is what stands.
            CREATE TABLE approval(
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                -- The row of the journal by which it was given.
                action INTEGER NOT NULL,
                operator TEXT NOT NULL,
                at INTEGER NOT NULL,
                -- Whether it has let the contact in: then the server's copy is still to be taken back.
                used INTEGER NOT NULL CHECK (used = 0 OR used = 1),
                PRIMARY KEY (account, contact)
            ) STRICT, WITHOUT ROWID;
            """
    )
}
