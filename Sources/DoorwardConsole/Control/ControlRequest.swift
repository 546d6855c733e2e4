/// A request on the control socket: one JSON object a line.
///
/// `{"v":1,"id":7,"command":"accept","arguments":{"ids":["17@2"]}}`
package struct ControlRequest: Hashable, Sendable {
    /// The one version there is.
    package static let version: Int64 = 1
    /// The longest line, in bytes without its end: a picture to publish is the longest that is sent.
    package static let sizeLimit = 131_072

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
