import DoorwardConfig
import DoorwardConsole
import Testing

@Suite("Messages of the control socket")
struct ControlMessageTests {
    @Test("a request is read as it was written")
    func request() throws {
        let request = ControlRequest(id: 7, command: "accept", arguments: .object(["ids": .strings(["17@2"])]))
        #expect(
            String(decoding: request.line, as: UTF8.self)
                == #"{"v":1,"id":7,"command":"accept","arguments":{"ids":["17@2"]}}"# + "\n"
        )
        #expect(try ControlRequest(line: Array(request.line.dropLast())) == request)
    }

    @Test(
        "what is no request is refused in words, with its id where that is known",
        arguments: [
            ("", nil, "one JSON object a line"), ("hello", nil, "one JSON object a line"),
            ("[]", nil, "another JSON value"),
            (#"{"id":7,"command":"status"}"#, 7, "speaks version 1"),
            (#"{"v":2,"id":7,"command":"status"}"#, 7, "speaks version 1"),
            (#"{"v":"1","id":7,"command":"status"}"#, 7, "speaks version 1"),
            (#"{"v":1,"command":"status"}"#, nil, "\"id\" is missing"),
            (#"{"v":1,"id":"7","command":"status"}"#, nil, "\"id\" is missing"),
            (#"{"v":1,"id":7}"#, 7, "\"command\" is missing"),
            (#"{"v":1,"id":7,"command":null}"#, 7, "\"command\" is missing"),
        ] as [(String, Int64?, String)]
    )
    func refused(line: String, id: Int64?, says: String) {
        let refusal = #expect(throws: ControlRequest.Refusal.self) { try ControlRequest(line: Array(line.utf8)) }
        #expect(refusal?.id == id)
        #expect(refusal?.text.contains(says) ?? false)
    }

    @Test("a reply is read as it was written", arguments: ProgramStatus.allCases)
    func reply(status: ProgramStatus) {
        let reply = ControlReply(
            id: 7,
            CommandResult(status, data: .array([.integer(1)]), error: "no", next: .object(["after": .integer(17)]))
        )
        #expect(ControlReply(line: Array(reply.line.dropLast())) == reply)
        #expect(reply.line.last == UInt8(ascii: "\n"))
    }

    @Test(
        "what is no reply of this version is none",
        arguments: ["", "{}", #"{"v":2,"id":1,"status":0}"#, #"{"v":1,"id":1,"status":9}"#]
    )
    func noReply(line: String) {
        #expect(ControlReply(line: Array(line.utf8)) == nil)
    }

    @Test("a reply that is too long says so instead")
    func longReply() {
        let result = CommandResult(data: .string(String(repeating: "x", count: ControlReply.sizeLimit)))
        let line = ControlReply(id: 7, result).line
        #expect(line.count < 1000)
        #expect(ControlReply(line: Array(line.dropLast()))?.result.error?.contains("over 6 MiB") ?? false)
    }

    // MARK: Who calls

    static let people = [
        OperatorConfiguration(name: "Ana", user: "ana", jid: nil, role: .admin),
        OperatorConfiguration(name: "Ben", user: "ben", jid: nil, role: .viewer),
        OperatorConfiguration(name: "nobody", user: nil, jid: nil, role: .admin),
    ]

    @Test(
        "the caller is who the kernel says",
        arguments: [
            (0, "root", Caller(name: "root", role: .admin)), (990, "doorward", Caller(name: "doorward", role: .admin)),
            (990, nil, Caller(name: "uid 990", role: .admin)), (1001, "ana", Caller(name: "Ana", role: .admin)),
            (1002, "ben", Caller(name: "Ben", role: .viewer)),
        ] as [(UInt32, String?, Caller)]
    )
    func callers(uid: UInt32, user: String?, caller: Caller) throws {
        #expect(
            try CallerRecognition.caller(uid: uid, userName: user, serviceUID: 990, operators: Self.people) == caller
        )
    }

    @Test(
        "anybody else is refused and told what to add",
        arguments: [
            (1003, "eve", "- { name: eve, user: eve, role: operator }"), (1003, nil, "user id 1003 has no name"),
            (1003, "nobody", "the Unix user 'nobody' is no operator"),
            (1003, "Ana", "the Unix user 'Ana' is no operator"),
            (1003, "", "the Unix user '' is no operator"),
        ] as [(UInt32, String?, String)]
    )
    func strangers(uid: UInt32, user: String?, says: String) {
        let refusal = #expect(throws: CallerRecognition.Refusal.self) {
            try CallerRecognition.caller(uid: uid, userName: user, serviceUID: 990, operators: Self.people)
        }
        #expect(refusal?.text.contains(says) ?? false)
    }

    @Test("user ids have their names")
    func userNames() {
        #expect(CallerRecognition.userName(of: 0) == "root")
        #expect(CallerRecognition.userName(of: 4_000_000_000) == nil)
    }
}
