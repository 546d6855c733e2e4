import XMPPTransport

/// One connection of the control socket: what arrived of a line, and the lines that wait.
struct ControlConnection {
    let channel: any Channel
    /// The user id at the other end, as the kernel says.
    let user: UInt32
    var userName: String?
    /// Whether a command was taken from this user on this connection.
    var isRecognised = false
    /// Whole lines, without their ends.
    var requests: [[UInt8]] = []
    var isWorking = false
    /// It was told why, and what still arrives does not count.
    var isClosing = false
    var idleTimer: TimerID?
    private var partial: [UInt8] = []

    init(channel: any Channel, user: UInt32) {
        self.channel = channel
        self.user = user
    }

    /// Takes what arrived.
    ///
    /// - Returns: Why the connection must end, in words; nil where it goes on.
    mutating func take(_ bytes: [UInt8], queueLimit: Int) -> String? {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            partial += rest[..<end]
            rest = rest[(end + 1)...]
            guard partial.count <= ControlRequest.sizeLimit else { return Self.tooLong }
            if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
            guard requests.count < queueLimit else { return "over \(queueLimit) requests wait; read the answers first" }
            requests.append(partial)
            partial = []
        }
        partial += rest
        return partial.count <= ControlRequest.sizeLimit ? nil : Self.tooLong
    }

    private static let tooLong = "a request is at most \(ControlRequest.sizeLimit) bytes long"
}
