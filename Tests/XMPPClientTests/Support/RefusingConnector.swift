import XMPPTransport

/// Every connection fails at once by the same.
struct RefusingConnector: Connector {
    let error: TransportError

    func connect(
        to address: ServerAddress, security: TLSSettings?, on loop: EventLoop,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel {
        let nowhere = MemoryConnector { _, _ in nil }
        return nowhere.connect(to: address, security: security, on: loop) { [error] event in
            guard case .closed = event else { return }
            handler(.closed(.failed(error)))
        }
    }
}
