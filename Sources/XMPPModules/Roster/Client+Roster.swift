public import XMPPClient

/// The roster of a client, for programs that wait.
extension Client {
    /// Changes the roster, and waits for what the server says to it.
    ///
    /// ```swift
    /// try await client.changeRoster { $0.rename(contact, to: "Ann", reply: $1) }
    /// ```
    ///
    /// - Parameter change: Calls one of the changes of the client's ``RosterModule`` with the reply that it is given.
    /// - Throws: What that change says; `offline` where there was no session yet, or no such module.
    public func changeRoster(
        _ change: @escaping @Sendable (RosterModule, @escaping RosterModule.Reply) -> Void
    ) async throws(RosterError) {
        let result: Result<Void, RosterError> = await withCheckedContinuation { waiter in
            let found: Void? = withModule(RosterModule.self) { roster in
                change(roster) { waiter.resume(returning: $0) }
            }
            if found == nil { waiter.resume(returning: .failure(RosterError(RosterError.Code.offline))) }
        }
        try result.get()
    }
}
