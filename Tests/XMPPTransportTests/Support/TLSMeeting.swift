import Testing
import XMPPTransport

/// Two ends that speak TLS with each other, once both have finished the handshake and the server's tickets have arrived.
struct TLSMeeting: Sendable {
    let wire: Wire
    let client: TLSSummary
    let server: TLSSummary

    static func make(on loop: EventLoop, server: TLSContext, client: TLSSettings) async throws -> TLSMeeting {
        let wire = try await begin(on: loop, server: server, client: client)
        try await wire.clientEvents.waitForSecured()
        try await wire.serverEvents.waitForSecured()
        // Tickets of TLS 1.3 come before the server's first bytes.
        try await wire.clientEvents.waitForText("hello")
        return TLSMeeting(
            wire: wire,
            client: try #require(wire.clientEvents.summary),
            server: try #require(wire.serverEvents.summary)
        )
    }

    /// Only begins the handshake.
    static func begin(on loop: EventLoop, server: TLSContext, client: TLSSettings) async throws -> Wire {
        let wire = try await Wire.make(on: loop) { channel, event in
            switch event {
            case .connected: channel.startTLS(TLSSettings(domain: "", context: server))
            case .secured: channel.send(utf8("hello"))
            case .attempted, .received, .writable, .closed: break
            }
        }
        try await wire.onLoop { $0.client.startTLS(client) }
        return wire
    }

    /// Makes a meeting and ends it in order; what both ends agreed on.
    @discardableResult
    static func passing(
        on loop: EventLoop, server: TLSContext, client: TLSSettings
    ) async throws -> (client: TLSSummary, server: TLSSummary) {
        let meeting = try await make(on: loop, server: server, client: client)
        try await meeting.wire.onLoop { $0.client.close() }
        try await meeting.wire.clientEvents.waitForClosure()
        try await meeting.wire.serverEvents.waitForClosure()
        return (meeting.client, meeting.server)
    }

    /// The client's error of a handshake that must fail.
    static func failing(
        on loop: EventLoop, server: TLSContext, client: TLSSettings
    ) async throws -> TransportError {
        let wire = try await begin(on: loop, server: server, client: client)
        let error = try await wire.clientEvents.waitForError()
        #expect(wire.clientEvents.summary == nil)
        return error
    }
}

extension Recorder<ChannelEvent> {
    var summary: TLSSummary? {
        values.compactMap { if case .secured(let summary) = $0 { summary } else { nil } }.first
    }
}
