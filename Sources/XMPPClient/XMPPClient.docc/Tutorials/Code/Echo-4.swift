import XMPPClient
import XMPPCore

/// Says back to everybody what they say, until its task is cancelled.
func echo(account: String, password: String, options: Client.Options = Client.Options()) async throws {
    let client = try Client(account: BareJID(account), password: password, options: options)
    try await withThrowingTaskGroup { group in
        // Logs in, and again whenever the connection is lost.
        group.addTask { try await client.run() }
        for await message in client.messages {
            guard message.type == .chat, let sender = message.from, let body = message.body else { continue }
            // No chat, which alone is answered: two such clients never keep each other busy. Where the connection has just
            // broken, nothing is said.
            try? await client.send(Message(.normal, to: sender, body: body))
        }
        // The messages are over when `run()` is: here it says why.
        try await group.waitForAll()
    }
}
