/// A request on the control socket: one JSON object a line.
///
/// `{"v":1,"id":7,"command":"accept","arguments":{"ids":["17@2"]}}`
package struct ControlRequest: Hashable, Sendable {
    /// The one version there is.
    package static let version: Int64 = 1
    /// The longest line, in bytes without its end.
    package static let sizeLimit = 65_536

    /// Chosen by the caller; the answer carries it.
    package var id: Int64
    package var command: String
    package var arguments: JSONValue

    package init(id: Int64, command: String, arguments: JSONValue) {
        self.id = id
        self.command = command
        self.arguments = arguments
    }

    /// Why a line is no request, with its id where that could be read.
    package struct Refusal: Error, Hashable, Sendable {
        package var id: Int64?
        package var text: String
    }

    /// Reads a line.
    package init(line: [UInt8]) throws(Refusal) {
        let value: JSONValue
        do { value = try JSONReader.read(line) } catch {
            throw Refusal(id: nil, text: "a request is one JSON object a line; this line is \(error.description)")
        }
        let id = value["id"]?.integer
        guard value.members != nil else {
            throw Refusal(id: nil, text: "a request is one JSON object a line; this line is another JSON value")
        }
        guard value["v"]?.integer == Self.version else {
            throw Refusal(id: id, text: "this service speaks version \(Self.version) of the protocol: send \"v\":1")
        }
        guard let id else { throw Refusal(id: nil, text: "\"id\" is missing: a whole number of your choice") }
        guard let command = value["command"]?.string else {
            throw Refusal(id: id, text: "\"command\" is missing: a name such as \"status\"")
        }
        self.init(id: id, command: command, arguments: value["arguments"] ?? .null)
    }

    /// The line with its end.
    package var line: [UInt8] {
        let value = JSONValue.object([
            "v": .integer(Self.version), "id": .integer(id), "command": .string(command), "arguments": arguments,
        ])
        return Array((value.oneLine + "\n").utf8)
    }
}

/// An answer on the control socket: one JSON object a line.
///
/// `{"v":1,"id":7,"status":0,"data":[…],"error":null}`
package struct ControlReply: Hashable, Sendable {
    /// The longest line, in bytes with its end.
    package static let sizeLimit = 16_777_216

    /// Nil where the request's could not be read.
    package var id: Int64?
    package var result: CommandResult

    package init(id: Int64?, _ result: CommandResult) {
        self.id = id
        self.result = result
    }

    /// The line with its end. A result that is too long becomes an error that says how to ask for less.
    package var line: [UInt8] {
        let bytes = Array((json.oneLine + "\n").utf8)
        guard bytes.count > Self.sizeLimit else { return bytes }
        let refusal = CommandResult.refused(
            "the answer is over \(Self.sizeLimit / 1_048_576) MiB; ask for less, with --limit or --account")
        return Array((ControlReply(id: id, refusal).json.oneLine + "\n").utf8)
    }

    private var json: JSONValue {
        .object([
            "v": .integer(ControlRequest.version), "id": id.map { .integer($0) } ?? .null,
            "status": .integer(Int64(result.status.rawValue)), "data": result.data, "error": .text(result.error),
        ])
    }

    /// Reads a line; nil where it is no answer of this version.
    package init?(line: [UInt8]) {
        guard let value = try? JSONReader.read(line), value["v"]?.integer == ControlRequest.version,
            let number = value["status"]?.integer, let code = Int32(exactly: number),
            let status = ExitStatus(rawValue: code)
        else { return nil }
        self.init(
            id: value["id"]?.integer,
            CommandResult(status, data: value["data"] ?? .null, error: value["error"]?.string))
    }
}
