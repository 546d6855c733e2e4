import DoorwardConfig
import DoorwardConsole
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@Suite("Answers in parts")
struct PagingTests {
    private let admin = Caller(name: "root", role: .admin)

    private func model(_ service: FakeService) -> CommandModel { CommandModel(service: service) { Samples.now } }

    @Test("a desk under a flood is given in parts that make the whole")
    func pages() async {
        let text = String(repeating: "\u{1B}", count: 16_384)
        let rows = (1...200).map { Samples.request(Int64($0), message: text) }
        let model = model(FakeService(requests: rows))
        var seen: [Int64] = []
        var parts = 0
        var arguments: JSONValue? = .object(["all": .bool(true)])
        while let asked = arguments {
            let result = await model.perform("pending", arguments: asked, by: admin)
            seen += (result.data.array ?? []).compactMap { $0["id"]?.integer }
            #expect(ControlReply(id: 1, result).line.count < ControlReply.sizeLimit)
            arguments = result.next
            parts += 1
        }
        #expect(seen == rows.map(\.id))
        #expect(parts > 2)
    }

    @Test("a long history is given in parts that make the whole")
    func historyPages() async {
        let service = FakeService()
        var rows = (1...60).reversed().map { Samples.history(Int64($0)) }
        for index in rows.indices { rows[index].reason = String(repeating: "r", count: 100_000) }
        await service.set(history: rows)
        var seen: [String] = []
        var arguments: JSONValue? = .object(["limit": .integer(50)])
        while let asked = arguments {
            let result = await model(service).perform("history", arguments: asked, by: admin)
            seen += (result.data.array ?? []).compactMap { $0["id"]?.string }
            arguments = result.next
        }
        #expect(seen == rows.prefix(50).map { "h\($0.id)" })
    }
}
