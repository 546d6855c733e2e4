extension Migration {
    /// What a decision costs: a row of the desk holds its steps, and no row is written by way of a table in memory.
    ///
    /// SQLite makes such a table for each row that is checked against a list of more than two words, and a statement journal
    /// for each that has a trigger (docs/design/011-commits.md has the figures), so the words stand one by one.
    static let schemaVersion3 = Migration(
        sql: """
            -- What a decision sends: words such as 'roster_set:confirmed verdict:written:7 block:due'; null for nothing.
            ALTER TABLE request ADD COLUMN steps TEXT;
            ALTER TABLE request ADD COLUMN had_item INTEGER CHECK (had_item = 0 OR had_item = 1);
            UPDATE request SET steps = o.steps, had_item = o.had_item FROM outbox o WHERE o.request = request.id;
            DROP TABLE outbox;

            CREATE TABLE journal_3(
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                request INTEGER NOT NULL REFERENCES request(id),
                at INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (
                    kind = 'decided' OR kind = 'confirmed' OR kind = 'sent' OR kind = 'closed' OR kind = 'dropped'),
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
                acts INTEGER CHECK (acts = 0 OR acts = 1),
                -- The steps of a 'sent', 'confirmed' or 'dropped' row; of a 'decided' one, what it has to send.
                steps TEXT,
                -- What a 'closed' row closed the request as.
                state TEXT,
                -- The steps of a 'decided' row that were given to the connection in the same transaction: what a 'sent' row
                -- says otherwise.
                sent TEXT
            ) STRICT;
            INSERT INTO journal_3 SELECT *, NULL FROM journal;
            DROP TABLE journal;
            ALTER TABLE journal_3 RENAME TO journal;
            CREATE INDEX journal_request ON journal(request, id);
            CREATE INDEX journal_account ON journal(account, id) WHERE kind IN ('decided', 'closed');
            -- INSERT OR REPLACE deletes by the second, for recursive_triggers is on.
            CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
                BEGIN SELECT RAISE(ABORT, 'rows of the journal are never changed'); END;
            CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
                BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;

            CREATE TABLE contact_3(
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                subscription TEXT NOT NULL CHECK (
                    subscription = 'none' OR subscription = 'to' OR subscription = 'from' OR subscription = 'both'),
                asked INTEGER NOT NULL CHECK (asked = 0 OR asked = 1),
                name TEXT,
                groups TEXT NOT NULL,
                PRIMARY KEY (account, contact)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO contact_3 SELECT * FROM contact;
            DROP TABLE contact;
            ALTER TABLE contact_3 RENAME TO contact;
            """
    )
}
