import XMPPCore
import XMPPSession
import XMPPTransport

/// A connection that ends behind the binding: whoever made it only wants to see what the server offers.
extension ClientConnection {
    /// The session, until the server's features are there.
    ///
    /// A class, so that other connections carry no more than a pointer.
    final class Look {
        var session: EstablishedSession

        init(_ session: EstablishedSession) { self.session = session }
    }

    /// How long the features are waited for: they follow the login at once (XEP-0388 section 2.6).
    private static let patience = Duration.seconds(2)

    /// Bound: it is over, once all that the server offers is known.
    func look(at session: EstablishedSession) {
        identity?.look = Look(session)
        guard session.awaitsFeatures else { return finishLook() }
        loop.schedule(after: Self.patience) { self.finishLook() }
    }

    /// The features that follow the login.
    ///
    /// - Returns: Whether that was all that was wanted.
    func looked(at features: Element) -> Bool {
        guard let look = identity?.look else { return false }
        look.session.features = features
        look.session.awaitsFeatures = false
        finishLook()
        return true
    }

    private func finishLook() {
        guard phase == .online, let session = identity?.look?.session else { return }
        identity?.look = nil
        observe(.established(session))
        handler(.established(session))
        finish(.stopped)
    }
}
