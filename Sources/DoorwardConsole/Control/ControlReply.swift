/// An answer on the control socket: one JSON object a line.
///
/// `{"v":1,"id":7,"status":0,"data":[…],"error":null,"next":null}`. Where `next` is an object, the data is a first part
/// and `next` holds the arguments that ask for the rest: a flood on the desk must not make it unreadable.
package struct ControlReply: Hashable, Sendable {
    /// The longest line, in bytes with its end; below what a channel holds unsent.
    package static let sizeLimit = 6_291_456

    /// Nil where the request's could not be read.
    package var id: Int64?
    package var result: CommandResult

    package init(id: Int64?, _ result: CommandResult) {
        self.id = id
        self.result = result
    }

    /// The line with its end.
    ///
    /// A result that is too long becomes an error that says how to ask for less.
    package var line: [UInt8] {
        let bytes = Array((json.oneLine + "\n").utf8)
        guard bytes.count > Self.sizeLimit else { return bytes }
        let refusal = CommandResult.refused(
            "the answer is over \(Self.sizeLimit / 1_048_576) MiB, which is more than the control socket carries"
        )
        return Array((ControlReply(id: id, refusal).json.oneLine + "\n").utf8)
    }

    private var json: JSONValue {
        .object([
            "v": .integer(ControlRequest.version), "id": id.map { .integer($0) } ?? .null,
            "status": .integer(Int64(result.status.rawValue)), "data": result.data, "error": .text(result.error),
            "next": result.next ?? .null,
        ])
    }

    /// Reads a line; nil where it is no answer of this version.
    package init?(line: [UInt8]) {
        guard let value = try? JSONReader.read(line), value["v"]?.integer == ControlRequest.version,
            let number = value["status"]?.integer, let code = Int32(exactly: number),
            let status = ProgramStatus(rawValue: code)
        else { return nil }
        self.init(
            id: value["id"]?.integer,
            CommandResult(
                status,
                data: value["data"] ?? .null,
                error: value["error"]?.string,
                next: value["next"].flatMap { $0.isNull ? nil : $0 }
            )
        )
    }
}
