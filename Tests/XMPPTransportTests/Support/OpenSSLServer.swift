import Foundation
import Testing
import XMPPTransport

/// `openssl s_server`, which does what our own server refuses to.
final class OpenSSLServer {
    let port: UInt16
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(
        _ certificate: String, _ key: String, _ options: [String] = [], ciphers: String = "ALL:@SECLEVEL=0"
    ) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key]
            + ["-cipher", ciphers] + options
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try Self.read(output, until: "ACCEPT 127.0.0.1:")
        let digits = text.components(separatedBy: "ACCEPT 127.0.0.1:")[1].prefix { $0.isNumber }
        port = try #require(UInt16(digits))
    }

    deinit {
        // Not by SIGTERM, which is blocked in a child where it is in this process.
        kill(process.processIdentifier, SIGKILL)
    }

    /// A client's connection, on which TLS has begun.
    func connect(
        _ settings: TLSSettings, on loop: EventLoop
    ) async throws -> (channel: any Channel, events: Recorder<ChannelEvent>) {
        let events = Recorder<ChannelEvent>()
        let port = port
        let channel = try await loop.run {
            SocketConnector().connect(to: .host("127.0.0.1", port: port), on: loop) { events.record($0) }
        }
        try await events.waitForConnected()
        try await loop.run { channel.startTLS(settings) }
        return (channel, events)
    }

    /// Types a line at the command.
    func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// What the command says up to the end of the line that has this text.
    func readLine(with text: String) throws -> String { try Self.read(output, until: text) }

    private static func read(_ pipe: Pipe, until text: String) throws -> String {
        var all = ""
        while !all.contains(text) || !all.hasSuffix("\n") {
            let more = pipe.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            all += String(decoding: more, as: UTF8.self)
        }
        return all
    }
}
