import XMPPTransport

/// The command line's side of the control socket: blocking, one command after the other.
struct ControlClient {
    /// Why there is no answer: the status to exit with, and one line for standard error.
    struct Failure: Error, Hashable {
        var status: CommandStatus
        var text: TerminalText
    }

    /// How long the service may take for a command before the command line gives up.
    private static let patience = Duration.seconds(60)

    private let path: String
    private let connection: UnixSocketConnection

    init(path: String) throws(Failure) {
        self.path = path
        do { connection = try UnixSocketClient.connect(path: path) } catch {
            switch error.code {
            case .noSocket, .nobodyListens:
                throw Failure(
                    status: .notRunning,
                    text:
                        "the service is not running (nobody listens at \(path)); start it with 'doorward run' or 'doorward demo'"
                )
            default:
                throw Failure(status: .refused, text: "cannot reach the service at \(path): \(error.description)")
            }
        }
    }

    /// Performs a command; an answer that comes in parts is put together.
    func ask(_ command: String, arguments: JSONValue) throws(Failure) -> CommandResult {
        var result = try askOnce(command, arguments: arguments, id: 1)
        var rows = result.data.array ?? []
        var id: Int64 = 1
        while let next = result.next {
            id += 1
            let part = try askOnce(command, arguments: next, id: id)
            guard part.status == .done, let more = part.data.array, !more.isEmpty else { return part }
            rows += more
            result.next = part.next
        }
        if id > 1 { result.data = .array(rows) }
        return result
    }

    private func askOnce(_ command: String, arguments: JSONValue, id: Int64) throws(Failure) -> CommandResult {
        let line: [UInt8]?
        do throws(TransportError) {
            try connection.send(ControlRequest(id: id, command: command, arguments: arguments).line)
            line = try connection.readLine(limit: ControlReply.sizeLimit, timeout: Self.patience)
        } catch {
            throw Failure(status: .refused, text: "the service at \(path) did not answer: \(error.description)")
        }
        guard let line else {
            throw Failure(
                status: .notRunning,
                text: "the service ended before it answered; see its log, then try again"
            )
        }
        guard let reply = ControlReply(line: line), reply.id == nil || reply.id == id else {
            throw Failure(
                status: .refused,
                text: "the service at \(path) answers in another version than this program; start it anew"
            )
        }
        return reply.result
    }
}
