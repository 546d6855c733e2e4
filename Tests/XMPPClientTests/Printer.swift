import XMPPClient
import XMPPCore

/// Says each step, and of each login whether it is bound to its TLS connection.
struct Printer: ConnectionObserver {
    var say: @Sendable (String) -> Void = { print($0) }

    func observed(_ event: ConnectionObservation, of account: BareJID) {
        say("\(account) \(event.kind.name): \(event.description)")
        if let login = event.login, login.channelBinding == nil { say("the login is not bound to TLS") }
    }
}
