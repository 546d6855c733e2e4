import DoorwardConsole
import Glibc
import XMPPTransport

/// One client of the control socket; blocking, so for a thread that may wait.
struct ControlCaller {
    private let connection: UnixSocketConnection
    private var lastID: Int64 = 0

    /// Connects; where the service has not begun to listen, tries again for a while.
    init(path: String, within limit: Duration = .seconds(20)) throws(BenchError) {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(TransportError) {
                connection = try UnixSocketClient.connect(path: path)
                return
            } catch {
                guard ContinuousClock.now < deadline, error.code == .noSocket || error.code == .nobodyListens else {
                    throw BenchError("the service's control socket cannot be reached: \(error.description)")
                }
            }
            usleep(1000)
        }
    }

    /// Performs a command and returns its data.
    mutating func call(_ command: String, _ arguments: JSONValue = .object([:])) throws(BenchError) -> JSONValue {
        lastID += 1
        let line: [UInt8]?
        do throws(TransportError) {
            try connection.send(ControlRequest(id: lastID, command: command, arguments: arguments).line)
            line = try connection.readLine(limit: ControlReply.sizeLimit, timeout: .seconds(60))
        } catch {
            throw BenchError("'\(command)' was not answered: \(error.description)")
        }
        guard let line, let reply = ControlReply(line: line), reply.id == lastID, reply.result.status == .done else {
            throw BenchError("'\(command)' was refused: \(line.map { String(decoding: $0, as: UTF8.self) } ?? "end")")
        }
        return reply.result.data
    }
}

/// Calls of `status`, spread evenly over the work.
struct StatusCalls: Sendable {
    struct Call: Sendable {
        var began: ContinuousClock.Instant
        var took: Duration
    }

    let count: Int
    /// How far the work is, from 0 to 1; set by whoever watches it.
    let progress = Locked(0.0)

    /// Makes them on the calling thread, one after the other: each when its share of the work is done.
    func make(path: String) throws(BenchError) -> [Call] {
        var caller = try ControlCaller(path: path)
        var calls: [Call] = []
        while calls.count < count {
            let share = progress.withLock { $0 }
            guard share * Double(count) >= Double(calls.count) else {
                usleep(500)
                continue
            }
            let began = ContinuousClock.now
            _ = try caller.call("status")
            calls.append(Call(began: began, took: ContinuousClock.now - began))
        }
        return calls
    }
}
