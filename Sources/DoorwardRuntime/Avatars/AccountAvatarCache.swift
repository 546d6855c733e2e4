import XMPPCore
import XMPPModules
import XMPPTransport

/// The fleet's pictures as one account's module sees them: answers come on the account's loop.
final class AccountAvatarCache: AvatarCache {
    private let fleet: AvatarFleet
    private let loop: EventLoop

    init(_ fleet: AvatarFleet, loop: EventLoop) {
        self.fleet = fleet
        self.loop = loop
    }

    func contains(_ hash: AvatarHash) -> Bool { fleet.contains(hash) }

    func claim(_ hash: AvatarHash, reply: @escaping (AvatarClaim) -> Void) {
        // It is called on the loop only, which is the isolation of who asks.
        nonisolated(unsafe) let reply = reply
        let loop = loop
        fleet.claim(hash) { isKept in loop.execute { reply(isKept ? .kept : .granted) } }
    }

    func keep(_ image: AvatarImage, of contact: BareJID) { fleet.keep(image, of: contact) }

    func release(_ hash: AvatarHash) { fleet.release(hash) }
}
