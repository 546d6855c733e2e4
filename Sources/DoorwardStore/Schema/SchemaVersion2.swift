extension Migration {
    /// What a login needs to remember, and what a session needs so that the next process can go on with it.
    static let schemaVersion2 = Migration(
        sql: """
            -- How the account's logins went: what must not be lost again, and who we are to the server.
            CREATE TABLE account_login(
                account TEXT PRIMARY KEY,
                -- SCRAM or EXTERNAL has worked.
                strong INTEGER NOT NULL CHECK (strong IN (0, 1)),
                -- A login bound to its TLS connection has worked, by a binding that the server announced.
                bound INTEGER NOT NULL CHECK (bound IN (0, 1)),
                user_agent TEXT NOT NULL,
                -- As good as a password: this file is its owner's alone.
                token_mechanism TEXT,
                token TEXT,
                token_expiry TEXT
            ) STRICT, WITHOUT ROWID;

            -- The session that can be resumed (XEP-0198), one for an account.
            CREATE TABLE resumable_session(
                account TEXT PRIMARY KEY,
                session INTEGER NOT NULL,
                jid TEXT NOT NULL,
                id TEXT NOT NULL,
                location TEXT,
                maximum INTEGER,
                features TEXT NOT NULL,
                can_block INTEGER NOT NULL CHECK (can_block IN (0, 1))
            ) STRICT, WITHOUT ROWID;

            -- Its counts, apart: they change with every transaction, and the rows are small.
            CREATE TABLE stream_count(
                account TEXT PRIMARY KEY,
                inbound INTEGER NOT NULL,
                outbound INTEGER NOT NULL,
                acknowledged INTEGER NOT NULL,
                at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            -- The roster as of those counts.
            CREATE TABLE contact(
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                subscription TEXT NOT NULL CHECK (subscription IN ('none', 'to', 'from', 'both')),
                asked INTEGER NOT NULL CHECK (asked IN (0, 1)),
                name TEXT,
                groups TEXT NOT NULL,
                PRIMARY KEY (account, contact)
            ) STRICT, WITHOUT ROWID;

            -- The resources of contacts that were available as of those counts.
            CREATE TABLE contact_resource(
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                resource TEXT NOT NULL,
                PRIMARY KEY (account, contact, resource)
            ) STRICT, WITHOUT ROWID;
            """
    )
}
