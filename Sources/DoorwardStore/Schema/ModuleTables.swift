extension Migration {
    /// What modules of bot authors keep, and how often one ended the process.
    static let moduleTables = Migration(
        sql: """
            -- A value of a module in Base64; 'size' counts the bytes of key and value.
            CREATE TABLE module_value(
                account TEXT NOT NULL,
                module TEXT NOT NULL,
                key TEXT NOT NULL,
                value TEXT NOT NULL,
                size INTEGER NOT NULL,
                PRIMARY KEY (account, module, key)
            ) STRICT, WITHOUT ROWID;

            -- Events that a module had in its hands when the process ended, by their digest.
            CREATE TABLE module_crash(
                account TEXT NOT NULL,
                module TEXT NOT NULL,
                event TEXT NOT NULL,
                count INTEGER NOT NULL,
                at INTEGER NOT NULL,
                PRIMARY KEY (account, module, event)
            ) STRICT, WITHOUT ROWID;

            -- What the configuration said of a module when it was last run, and whether it is still run.
            CREATE TABLE module_run(
                account TEXT NOT NULL,
                module TEXT NOT NULL,
                settings TEXT NOT NULL,
                disabled_at INTEGER,
                PRIMARY KEY (account, module)
            ) STRICT, WITHOUT ROWID;
            """
    )
}
