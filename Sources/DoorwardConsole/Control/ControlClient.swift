import DoorwardConfig
import Glibc
import XMPPTransport

/// The command line's side of the control socket: blocking, one command after the other.
struct ControlClient {
    /// Why there is no answer: the status to exit with, and one line for standard error.
    struct Failure: Error, Hashable {
        var status: ProgramStatus
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
                throw Failure(
                    status: .refused,
                    text: Self.whyClosed(path) ?? "cannot reach the service at \(path): \(error.description)")
            }
        }
    }

    /// Who may use a socket that this user may not; nil where it is not closed to this user.
    private static func whyClosed(_ path: String) -> TerminalText? {
        guard access(path, R_OK | W_OK) != 0, errno == EACCES else { return nil }
        // The socket itself is hidden where its folder is closed; both have the group of the service's user.
        let folder = FilePath.folder(of: path)
        var status = stat()
        guard stat(path, &status) == 0 || stat(folder.isEmpty ? "." : folder, &status) == 0 else { return nil }
        let begin: TerminalText = "this user may not use the service's socket \(path)"
        // To be in root's group is more than an operator should be.
        guard status.st_gid != 0 else {
            return begin
                + ", since the service runs in the group of root: run it as a user of its own, add the operators to"
                + " that user's group, and name them under 'operators:' of the configuration"
        }
        let group = groupName(of: status.st_gid) ?? "\(status.st_gid)"
        return begin
            + ", which is open to the group '\(group)': an admin adds the user to it ('usermod -aG \(group) USER',"
            + " then log in anew) and to 'operators:' of the configuration"
    }

    private static func groupName(of number: gid_t) -> String? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 65_536) { buffer -> String? in
            guard let memory = buffer.baseAddress,
                getgrgid_r(number, &entry, memory, buffer.count, &found) == 0, found != nil, let name = entry.gr_name
            else { return nil }
            return String(cString: name)
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
            guard let more = part.data.array, !more.isEmpty else { return part }
            rows += more
            if part.status != .done { (result.status, result.error) = (part.status, part.error) }
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
                text: "the service ended before it answered; what it had begun it finishes when it runs again, and"
                    + " 'doorward history' shows it; what is not there was not begun"
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
