import XMPPClient
import XMPPCore

/// Says back to everybody what they say, until its task is cancelled.
func echo(account: String, password: String, options: Client.Options = Client.Options()) async throws {
    let client = try Client(account: BareJID(account), password: password, options: options)
}
