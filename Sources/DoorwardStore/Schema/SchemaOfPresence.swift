extension Migration {
    /// Of a session that goes on: what the resources of contacts said of themselves, and addresses without a resource.
    static let presence = Migration(
        sql: """
            -- An empty resource is the bare address itself, as gateways are available.
            ALTER TABLE contact_resource ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
            -- chat, away, xa, dnd; null is online.
            ALTER TABLE contact_resource ADD COLUMN show TEXT;
            ALTER TABLE contact_resource ADD COLUMN status TEXT;
            ALTER TABLE contact_resource ADD COLUMN idle_since INTEGER;
            -- When it was said.
            ALTER TABLE contact_resource ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
            """
    )
}
