extension Migration {
    /// The first schema.
    ///
    /// Texts are compared by their bytes (SQLite's default collation BINARY). Times are milliseconds since 1970 UTC.
    static let schemaVersion1 = Migration(
        sql: """
            -- Numbers that rise for ever: 'session' and 'revision'.
            CREATE TABLE counter(
                name TEXT PRIMARY KEY,
                value INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            INSERT INTO counter(name, value) VALUES ('session', 0), ('revision', 0);

            -- The present session of each account.
            CREATE TABLE account_session(
                account TEXT PRIMARY KEY,
                session INTEGER NOT NULL,
                started_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE request(
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                message TEXT,
                nickname TEXT,
                received_at INTEGER NOT NULL,
                last_seen_at INTEGER NOT NULL,
                seen_count INTEGER NOT NULL,
                session INTEGER NOT NULL,
                version INTEGER NOT NULL,
                state TEXT NOT NULL,
                -- Whether a delivery from the contact belongs to this row.
                live INTEGER NOT NULL CHECK (live IN (0, 1)),
                on_desk INTEGER NOT NULL CHECK (on_desk IN (0, 1)),
                decision TEXT,
                options TEXT,
                rule TEXT,
                policy TEXT,
                revision INTEGER NOT NULL
            ) STRICT;
            CREATE UNIQUE INDEX request_live ON request(account, contact) WHERE live = 1;
            CREATE INDEX request_contact ON request(account, contact, id);
            CREATE INDEX request_desk ON request(id) WHERE on_desk = 1;
            CREATE INDEX request_waiting ON request(account, id) WHERE state IN ('open', 'held');

            -- What a decision sends: words such as 'roster_set:confirmed verdict:written:7 block:due'.
            CREATE TABLE outbox(
                request INTEGER PRIMARY KEY REFERENCES request(id),
                had_item INTEGER CHECK (had_item IN (0, 1)),
                steps TEXT NOT NULL
            ) STRICT;

            CREATE TABLE journal(
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                request INTEGER NOT NULL REFERENCES request(id),
                at INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('decided', 'closed', 'sent', 'confirmed', 'dropped')),
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                session INTEGER NOT NULL,
                decision TEXT,
                options TEXT,
                by TEXT,
                rule TEXT,
                operator TEXT,
                reason TEXT,
                policy TEXT,
                policy_digest TEXT,
                facts TEXT,
                trace TEXT,
                acts INTEGER CHECK (acts IN (0, 1)),
                -- The steps of a 'sent', 'confirmed' or 'dropped' row.
                steps TEXT,
                -- What a 'closed' row closed the request as.
                state TEXT
            ) STRICT;
            CREATE INDEX journal_request ON journal(request, id);
            CREATE INDEX journal_account ON journal(account, id) WHERE kind IN ('decided', 'closed');
            CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
                BEGIN SELECT RAISE(ABORT, 'rows of the journal are never changed'); END;
            CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
                BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
            -- INSERT OR REPLACE deletes without the trigger above unless recursive_triggers is on.
            CREATE TRIGGER journal_no_replace BEFORE INSERT ON journal
                WHEN EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)
                BEGIN SELECT RAISE(ABORT, 'rows of the journal are never replaced'); END;

            CREATE TABLE alert(
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                at INTEGER NOT NULL,
                account TEXT,
                code TEXT NOT NULL,
                text TEXT NOT NULL,
                cleared_at INTEGER
            ) STRICT;
            CREATE UNIQUE INDEX alert_raised ON alert(code, ifnull(account, '')) WHERE cleared_at IS NULL;
            """
    )
}
