import Foundation
import Glibc

/// A client of the control socket, written against the documented lines and not with the product's code.
final class ControlClient: Sendable {
    private let fd: Int32
    private let queue = DispatchQueue(label: "control")

    init(path: String) throws {
        fd = try Sockets.connect(path: path)
        // A service that is stuck must not hold the tests for ever.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(fd) }

    /// A command's exit status, data and error.
    typealias Answer = (status: Int, data: JSON, error: String?)

    /// One command with its arguments, a JSON object.
    ///
    /// A long answer comes in parts, which are joined.
    func perform(_ command: String, _ arguments: String = "{}") async throws -> Answer {
        var answer = try await part(command, arguments)
        var data = answer["data"]
        while !answer["next"].isNull {
            answer = try await part(command, answer["next"].text)
            data = .array(data.array + answer["data"].array)
        }
        guard let status = answer["status"].int else { throw HarnessError("an answer without a status: \(answer)") }
        return (status, data, answer["error"].string)
    }

    private func part(_ command: String, _ arguments: String) async throws -> JSON {
        let line = "{\"v\":1,\"id\":1,\"command\":\"\(command)\",\"arguments\":\(arguments)}\n"
        let text = try await withCheckedThrowingContinuation { continuation in
            queue.async { [fd] in
                continuation.resume(with: Result { try Self.exchange(line, fd) })
            }
        }
        return try JSON(text: text)
    }

    private static func exchange(_ line: String, _ fd: Int32) throws -> String {
        try Sockets.send(Array(line.utf8), to: fd)
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            let more = Sockets.receive(from: fd)
            guard !more.isEmpty else {
                throw HarnessError("the service closed the control connection, or did not answer")
            }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
