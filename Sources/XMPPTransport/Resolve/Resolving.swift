/// Looks names up, without ever blocking a loop.
///
/// To be called on the loop; answers come on it, never within the call. An answer is as fresh as the resolver gives it:
/// nothing is kept here, no failure either. No records and no such name are both an empty answer; an error means that no
/// name server gave one (`.dnsFailed`).
package protocol Resolving: Sendable {
    /// The SRV records of a name such as `_xmpp-client._tcp.example.org`, in no order.
    func services(
        named name: String, on loop: EventLoop, then: @escaping LookUp<[ServiceRecord]>.Handler
    ) -> any PendingLookUp

    /// The addresses of a host, of one family, in the order in which to try them.
    func addresses(
        of host: String, family: IPFamily, on loop: EventLoop, then: @escaping LookUp<[IPAddress]>.Handler
    ) -> any PendingLookUp
}

/// A look-up whose answer is still awaited.
package protocol PendingLookUp: AnyObject, Sendable {
    /// Lets go of whoever waits; no answer comes any more. On the loop.
    func cancel()
}

/// Who waits for an answer.
package final class LookUp<Answer: Sendable>: PendingLookUp, @unchecked Sendable {
    // Unchecked because `handler` is touched on the loop only, which is checked.
    package typealias Handler = @Sendable (Result<Answer, TransportError>) -> Void

    private let loop: EventLoop
    private var handler: Handler?

    package init(on loop: EventLoop, then handler: @escaping Handler) {
        self.loop = loop
        self.handler = handler
    }

    /// Hands the answer over, in a turn of its own; to be called on the loop.
    ///
    /// The first answer counts.
    package func finish(_ answer: Result<Answer, TransportError>) {
        loop.checkIsolated()
        guard handler != nil else { return }
        loop.execute { [self] in handler.take()?(answer) }
    }

    package func cancel() {
        loop.checkIsolated()
        handler = nil
    }
}
