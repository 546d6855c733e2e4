extension Migration {
    /// Invitations, and what a request may bring beside its text: a token, and the address that its sender had before.
    static let introductions = Migration(
        sql: """
            CREATE TABLE invitation(
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                account TEXT NOT NULL,
                -- SHA-256 of the token, in hexadecimal: whoever reads this file cannot invite himself.
                digest TEXT NOT NULL UNIQUE,
                name TEXT,
                -- The only one who may use it; null for anybody.
                contact TEXT,
                uses INTEGER NOT NULL CHECK (uses > 0),
                used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0 AND used <= uses),
                made_by TEXT NOT NULL,
                made_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                revoked_by TEXT,
                revoked_at INTEGER
            ) STRICT;
            CREATE INDEX invitation_account ON invitation(account, id);

            -- The digest of the token that the request showed, whatever it is worth.
            ALTER TABLE request ADD COLUMN token TEXT;
            -- The invitation that it has used: a request uses one once, however often it is delivered.
            ALTER TABLE request ADD COLUMN invitation INTEGER REFERENCES invitation(id);
            -- The contact that the sender says it was before, and what came of asking that address.
            ALTER TABLE request ADD COLUMN moved_from TEXT;
            ALTER TABLE request ADD COLUMN moved TEXT CHECK (
                moved = 'claimed' OR moved = 'verified' OR moved = 'verified_both');
            """
    )
}
