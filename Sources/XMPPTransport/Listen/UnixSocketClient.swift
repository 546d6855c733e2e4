import CShims
import Glibc

/// The command line's side of a Unix socket: blocking.
package enum UnixSocketClient {
    /// - Throws: `.noSocket` (nothing at the path), `.nobodyListens` (the service has ended), `.socketPathTooLong`,
    ///   `.connectFailed` (such as "Permission denied").
    package static func connect(path: String) throws(TransportError) -> UnixSocketConnection {
        let address = try SocketAddress(unixPath: path)
        let descriptor = shim_unix_socket_blocking()
        guard descriptor >= 0 else { throw TransportError(.system, "socket", errno: errno) }
        guard address.withSockaddr({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let error = errno
            Glibc.close(descriptor)
            switch error {
            case ENOENT, ENOTDIR: throw TransportError(.noSocket, path)
            case ECONNREFUSED: throw TransportError(.nobodyListens, path)
            default: throw TransportError(.connectFailed, path, errno: error)
            }
        }
        return UnixSocketConnection(descriptor)
    }
}

/// A blocking connection, for one thread.
package final class UnixSocketConnection {
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    /// How much of `buffer` is known to hold no line's end.
    private var searched = 0
    private var isAtEnd = false

    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close()
    }

    /// - Throws: `.connectionLost`, `.closed`.
    package func send(_ bytes: [UInt8]) throws(TransportError) {
        guard descriptor >= 0 else { throw TransportError(.closed, "the connection was closed") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendBytes(descriptor, $0) }
            guard count >= 0 else { throw TransportError(.connectionLost, "sending", errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line without its end.
    /// - Parameters:
    ///   - limit: the longest line, in bytes.
    ///   - timeout: how long to wait for each piece; `nil` for ever.
    /// - Returns: `nil` at the end of the connection; an unfinished last line is none.
    /// - Throws: `.lineTooLong`, `.timedOut`, `.connectionLost`, `.closed`.
    package func readLine(limit: Int, timeout: Duration? = nil) throws(TransportError) -> [UInt8]? {
        guard descriptor >= 0 else { throw TransportError(.closed, "the connection was closed") }
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                guard end <= limit else { throw TransportError(.lineTooLong, "over \(limit) bytes") }
                let line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                searched = 0
                return line
            }
            searched = buffer.count
            guard buffer.count <= limit else { throw TransportError(.lineTooLong, "over \(limit) bytes") }
            guard !isAtEnd else { return nil }
            try readMore(timeout)
        }
    }

    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private func readMore(_ timeout: Duration?) throws(TransportError) {
        if let timeout { try wait(timeout) }
        var count = -1
        let error: Int32 = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { piece in
            repeat {
                count = Glibc.recv(descriptor, piece.baseAddress, piece.count, 0)
            } while count < 0 && errno == EINTR
            guard count >= 0 else { return errno }
            buffer.append(contentsOf: piece.prefix(count))
            return 0
        }
        guard error == 0 else { throw TransportError(.connectionLost, "receiving", errno: error) }
        isAtEnd = count == 0
    }

    private func wait(_ timeout: Duration) throws(TransportError) {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = min(max(seconds, 0), 86_400) * 1000 + attoseconds / 1_000_000_000_000_000
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let result = Glibc.poll(&poll, 1, Int32(max(milliseconds, 0)))
        if result == 0 { throw TransportError(.timedOut, "no answer within \(timeout)") }
        // A signal: read, which waits as well.
        guard result > 0 || errno == EINTR else { throw TransportError(.connectionLost, "waiting", errno: errno) }
    }
}
