import DoorwardConfig
import XMPPCore

extension AccountConfiguration {
    /// Whether going from this to the other needs a new connection.
    func needsNewConnection(for other: AccountConfiguration) -> Bool {
        // What was only observed is delivered, and so decided, again after a new login.
        let acts = mode == .observe && other.mode == .enforce
        return acts || password != other.password || connect != other.connect || login != other.login
            || resource != other.resource
    }

    /// What its connection goes to, for the backoff that a host's accounts share.
    var host: String { connect.host ?? jid.domain }
}
