extension Migration {
    /// Contacts that are kept whether or not a session can be resumed, with what pruning will judge them by.
    ///
    /// What is known of a contact stands apart from its item: items come from the server and are replaced as a whole, what was
    /// seen of somebody is ours alone.
    static let schemaVersion4 = Migration(
        sql: """
            -- That the account's roster is kept, and of which version it is (RFC 6121 section 2.6).
            CREATE TABLE roster_state(
                account TEXT PRIMARY KEY,
                version TEXT,
                at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE contact_evidence(
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                first_known INTEGER NOT NULL,
                -- rule, operator, contact_add, other_client, before
                added_by TEXT NOT NULL,
                -- The name of the rule or the operator.
                added_name TEXT,
                asked_at INTEGER,
                refused_at INTEGER,
                refusal TEXT,
                last_presence INTEGER,
                last_message_in INTEGER,
                last_message_out INTEGER,
                last_avatar_change INTEGER,
                PRIMARY KEY (account, contact)
            ) STRICT, WITHOUT ROWID;

            -- Contacts who were there; the latest of each account.
            CREATE TABLE contact_gone(
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                account TEXT NOT NULL,
                contact TEXT NOT NULL,
                at INTEGER NOT NULL,
                -- operator, elsewhere, while_away
                by TEXT NOT NULL,
                operator TEXT,
                subscription TEXT NOT NULL,
                asked INTEGER NOT NULL,
                name TEXT,
                groups TEXT NOT NULL,
                first_known INTEGER,
                added_by TEXT,
                added_name TEXT,
                asked_at INTEGER,
                refused_at INTEGER,
                refusal TEXT,
                last_presence INTEGER,
                last_message_in INTEGER,
                last_message_out INTEGER,
                last_avatar_change INTEGER
            ) STRICT;
            CREATE INDEX contact_gone_account ON contact_gone(account, id);
            CREATE INDEX contact_gone_contact ON contact_gone(account, contact, id);

            -- When an account was online; between two of them it was not.
            CREATE TABLE account_online(
                account TEXT NOT NULL,
                since INTEGER NOT NULL,
                until INTEGER NOT NULL,
                PRIMARY KEY (account, since)
            ) STRICT, WITHOUT ROWID;

            -- What is known of the contacts of before: that they were there when the account's last session began.
            INSERT INTO contact_evidence(account, contact, first_known, added_by, asked_at)
                SELECT c.account, c.contact, ifnull(s.started_at, 0), 'before',
                    CASE WHEN c.asked = 1 THEN ifnull(s.started_at, 0) END
                FROM contact c LEFT JOIN account_session s ON s.account = c.account;
            INSERT INTO roster_state(account, version, at)
                SELECT c.account, NULL, ifnull(max(s.started_at), 0)
                FROM contact c LEFT JOIN account_session s ON s.account = c.account GROUP BY c.account;

            CREATE TABLE journal_4(
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                -- Null in what is about a contact and no request.
                request INTEGER REFERENCES request(id),
                at INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (
                    kind = 'decided' OR kind = 'confirmed' OR kind = 'sent' OR kind = 'closed' OR kind = 'dropped'
                    OR kind = 'contact'),
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
                sent TEXT,
                -- What a 'contact' row does: add, rename, group, remove.
                action TEXT,
                -- The 'contact' row whose end a 'confirmed' or 'dropped' row tells.
                concerns INTEGER REFERENCES journal_4(id),
                CHECK (request IS NOT NULL OR action IS NOT NULL OR concerns IS NOT NULL)
            ) STRICT;
            INSERT INTO journal_4 SELECT *, NULL, NULL FROM journal;
            DROP TABLE journal;
            ALTER TABLE journal_4 RENAME TO journal;
            CREATE INDEX journal_request ON journal(request, id);
            CREATE INDEX journal_account ON journal(account, id) WHERE kind IN ('decided', 'closed', 'contact');
            CREATE INDEX journal_contact ON journal(account, contact, id) WHERE kind = 'contact';
            CREATE INDEX journal_concerns ON journal(concerns) WHERE concerns IS NOT NULL;
            -- INSERT OR REPLACE deletes by the second, for recursive_triggers is on.
            CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
                BEGIN SELECT RAISE(ABORT, 'rows of the journal are never changed'); END;
            CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
                BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
            """
    )
}
