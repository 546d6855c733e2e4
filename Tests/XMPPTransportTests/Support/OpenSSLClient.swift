import Foundation
import XMPPTransport

/// `openssl s_client`, to a listener of ours.
final class OpenSSLClient {
    private let process = Process()
    private let input = Pipe()

    init(port: UInt16, _ options: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "s_client", "-connect", "127.0.0.1:\(port)"] + options
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        // Not by SIGTERM, which is blocked in a child where it is in this process.
        kill(process.processIdentifier, SIGKILL)
    }

    /// Types a line at the command.
    func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }
}
