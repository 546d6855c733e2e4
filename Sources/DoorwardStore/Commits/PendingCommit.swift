import XMPPCore

/// What one account wants written as a whole, and who waits for it.
struct PendingCommit: Sendable {
    let account: BareJID
    let session: Int64
    let at: Timestamp
    let changes: [RequestChange]
    let beside: SessionChange
    /// Called on the store's thread.
    let answer: @Sendable (Result<[RequestRow?], StoreError>) -> Void
}
