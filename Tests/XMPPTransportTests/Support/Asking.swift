import XMPPTransport

/// Looks up anew while that fails, for a minute at most: it is right to fail where the name server, a thread of the same
/// process, does not get to answer within its short patience.
func asking<T>(while isFailure: (T) -> Bool, _ look: () async throws -> T) async rethrows -> T {
    let end = SystemTime().now + .seconds(60)
    while true {
        let found = try await look()
        if !isFailure(found) || SystemTime().now >= end { return found }
    }
}
