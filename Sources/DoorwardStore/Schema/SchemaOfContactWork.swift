extension Migration {
    /// What is done to contacts is kept until it is known what became of it, with who suggested it where no operator did it;
    /// and of a session that goes on, what it announced.
    static let contactWork = Migration(
        sql: """
            -- What a 'contact' row of the journal sends; the row goes when the journal has its end.
            CREATE TABLE contact_work(
                -- That of the journal's row.
                id INTEGER PRIMARY KEY,
                account TEXT NOT NULL,
                name TEXT,
                old_name TEXT,
                -- Separated by U+001F, as those of a contact are.
                groups TEXT NOT NULL,
                leaves TEXT NOT NULL,
                message TEXT,
                preapproves INTEGER NOT NULL CHECK (preapproves = 0 OR preapproves = 1),
                entry TEXT,
                report TEXT
            ) STRICT;
            CREATE INDEX contact_work_account ON contact_work(account, id);

            -- The service that suggested a contact (XEP-0144).
            ALTER TABLE journal ADD COLUMN suggested_by TEXT;

            -- A digest of the abilities that the session's presence announced (XEP-0115).
            ALTER TABLE resumable_session ADD COLUMN announced TEXT;
            """
    )
}
