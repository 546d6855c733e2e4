import Glibc

/// What the service has logged so far, read while it grows: it costs the service nothing to be watched like this.
struct ServiceLog: ~Copyable {
    private let descriptor: Int32
    private var unfinished: [UInt8] = []

    private(set) var online: Set<Substring> = []
    /// Requests by their number.
    private(set) var decided: Set<Substring> = []
    /// Those that are done: answered and known to the server, or on the desk.
    private(set) var workedOff: Set<Substring> = []
    /// The fields of the lines that it writes when it is asked for its figures.
    private(set) var figures: [[Substring: Substring]] = []
    /// The fields of the last line that the service writes.
    private(set) var farewell: [Substring: Substring] = [:]

    init(_ path: String) throws(BenchError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchError("cannot read \(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Reads what is new.
    mutating func update() {
        unfinished += SmallFile.rest(of: descriptor)
        guard let end = unfinished.lastIndex(of: UInt8(ascii: "\n")) else { return }
        let lines = String(decoding: unfinished[..<end], as: UTF8.self)
        unfinished.removeFirst(end + 1)
        for line in lines.split(separator: "\n") { take(line) }
    }

    private mutating func take(_ line: Substring) {
        var fields: [Substring: Substring] = [:]
        for word in line.split(separator: " ") {
            guard let equals = word.firstIndex(of: "=") else { continue }
            fields[word[..<equals]] = word[word.index(after: equals)...]
        }
        switch fields["event"] {
        case "account_changed":
            guard let account = fields["account"] else { return }
            if fields["state"] == "online" { online.insert(account) } else { online.remove(account) }
        case "decided":
            guard let request = fields["request"] else { return }
            decided.insert(request)
            if fields["decision"] == "ask" { workedOff.insert(request) }
        case "confirmed":
            if let request = fields["request"] { workedOff.insert(request) }
        case "figures":
            figures.append(fields)
        case "stopped":
            farewell = fields
        default:
            break
        }
    }
}
