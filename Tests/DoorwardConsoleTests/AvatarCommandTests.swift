import DoorwardConfig
import DoorwardRuntime
import DoorwardStore
import Foundation
import Testing
import XMPPCore
import XMPPTransport

@testable import DoorwardConsole

@Suite("The command avatar")
struct AvatarCommandTests {
    private static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
    ]
    private let account = "support@doorward.test"
    private let contact = "ann@example.net"

    private func service() async throws -> FakeService {
        let service = FakeService()
        let image = try AvatarImage(Self.png)
        let row = AvatarRow(
            contact: Samples.jid(contact), hash: image.hash, source: .pep, checkedAt: Samples.start)
        await service.set(avatar: AvatarAnswer(row: row, image: image, origin: .cache))
        return service
    }

    private func perform(
        _ service: FakeService, _ arguments: JSONValue, _ role: OperatorConfiguration.Role = .viewer
    ) async -> CommandResult {
        await CommandModel(service: service) { Samples.now }
            .perform("avatar", arguments: arguments, by: Caller(name: "ben", role: role))
    }

    private func asked(_ contact: String, fresh: Bool = false) -> JSONValue {
        .object(["account": .string(account), "contact": .string(contact), "fresh": .bool(fresh)])
    }

    @Test("a viewer gets a contact's picture with what is known of it")
    func reading() async throws {
        let service = try await service()
        let result = await perform(service, asked(contact, fresh: true))
        #expect(result.status == .done)
        #expect(result.data["source"] == .string("pep") && result.data["origin"] == .string("cache"))
        #expect(result.data["type"] == .string("image/png") && result.data["bytes"] == .integer(24))
        #expect(result.data["data"]?.string.flatMap { Base64.decode($0) } == Self.png)
        #expect(await service.wasFresh)
    }

    @Test("a viewer has contacts asked only; an operator and an admin strangers too (D3)")
    func asking() async throws {
        let service = try await service()
        for (role, asking) in [
            (OperatorConfiguration.Role.viewer, AvatarAsking.contacts), (.operator, .anybody), (.admin, .anybody),
        ] {
            _ = await perform(service, asked(contact, fresh: true), role)
            #expect(await service.asked == asking)
        }
    }

    @Test("who has none, and what is not known, is a refusal")
    func none() async throws {
        let service = try await service()
        #expect(await perform(service, asked("max@example.net")).error?.contains("no answer came") == true)
        let row = AvatarRow(contact: Samples.jid("eve@example.net"), hash: nil, source: .vCard, checkedAt: Samples.now)
        await service.set(avatar: AvatarAnswer(row: row, image: nil, origin: .server))
        let result = await perform(service, asked("eve@example.net"))
        #expect(result.status == .refused && result.error == "eve@example.net has no picture")
        #expect(result.data["hash"] == .null)
        let unknown = JSONValue.object(["account": .string("x@doorward.test"), "contact": .string(contact)])
        #expect(await perform(service, unknown).error?.contains("there is no account") == true)
    }

    @Test("only an admin sets one, which must be a picture")
    func setting() async throws {
        let service = try await service()
        func set(_ bytes: [UInt8]) -> JSONValue {
            .object(["account": .string(account), "set": .string(Base64.encode(bytes))])
        }
        #expect(await perform(service, set(Self.png), .operator).error?.contains("needs the role admin") == true)
        #expect(await service.published.isEmpty)
        #expect(await perform(service, set(Array("<svg/>".utf8)), .admin).status == .refused)
        let big = Self.png + [UInt8](repeating: 0, count: AvatarImage.publishingLimit)
        #expect(await perform(service, set(big), .admin).error?.contains("65536 bytes") == true)
        let done = await perform(service, set(Self.png), .admin)
        #expect(done.status == .done && done.data["bytes"] == .integer(24))
        #expect(await service.published.values.map(\.bytes) == [Self.png])
    }

    @Test("the biggest picture fits into a request on the control socket, and one of a contact into an answer")
    func sizes() throws {
        let arguments = JSONValue.object([
            "account": .string(String(repeating: "a", count: 3_000)),
            "set": .string(Base64.encode([UInt8](repeating: 0, count: AvatarImage.publishingLimit))),
        ])
        #expect(ControlRequest(id: .max, command: "avatar", arguments: arguments).line.count < ControlRequest.sizeLimit)
        #expect(AvatarImage.limit * 4 / 3 + 65_536 < ControlReply.sizeLimit)
    }

    private func arguments(_ words: String...) throws -> JSONValue {
        guard case .run(let invocation) = try CommandLineParser.parse(["avatar"] + words) else { return .null }
        return .object(try ServiceVerb.avatar.arguments(invocation))
    }

    @Test("-o and --output are the same, and words that contradict each other are refused")
    func words() throws {
        for flag in ["-o", "--output"] {
            #expect(
                try arguments(account, contact, flag, "a.png")
                    == .object(["account": .string(account), "contact": .string(contact)]))
        }
        #expect(try arguments(account, contact, "--fresh")["fresh"] == .bool(true))
        for wrong in [
            [account], [account, "@"], [account, contact, "--set", "x.png"], [account, "--set", "missing.png"],
            [account, contact, "-o"], [account, contact, "x@example.org"],
        ] {
            #expect(throws: UsageError.self, "\(wrong)") {
                guard case .run(let invocation) = try CommandLineParser.parse(["avatar"] + wrong) else { return }
                _ = try ServiceVerb.avatar.arguments(invocation)
            }
        }
        #expect(throws: UsageError.self) { try CommandLineParser.parse(["status", "-o", "x"]) }
    }

    @Test("-o - is standard output, which must not be a terminal, nor hold data too")
    func standardOutput() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        defer { close(terminal) }
        try #require(isatty(terminal) == 1)
        #expect(throws: UsageError.self) { try AvatarCommandWords.checkOutput(terminal, json: false) }
        #expect(throws: UsageError.self) { try AvatarCommandWords.checkOutput(descriptor, json: true) }
        try AvatarCommandWords.checkOutput(descriptor, json: false)
        #expect(throws: UsageError.self) { try arguments(account, contact, "-o", "-", "--json") }
        #expect(AvatarCommandWords.write(Self.png, to: descriptor) == nil)
        #expect(pipe.fileHandleForReading.readData(ofLength: Self.png.count) == Data(Self.png))
        #expect(AvatarCommandWords.write(Self.png, to: -1) != nil)
        guard case .run(let invocation) = try CommandLineParser.parse(["avatar", account, contact, "-o", "-"]) else {
            throw CancellationError()
        }
        #expect(AvatarCommandWords.words(.object([]), invocation).isEmpty)
    }

    @Test("the picture is written where the caller says, and is not printed")
    func saving() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/doorward-avatar-\(UUID().uuidString).png"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = await perform(try await service(), asked(contact))
        func run(_ file: String) throws -> CommandResult {
            guard case .run(let invocation) = try CommandLineParser.parse(["avatar", account, contact, "-o", file])
            else { throw CancellationError() }
            return ServiceVerb.avatar.received(result, invocation)
        }
        let shown = try run(path)
        #expect(shown.status == .done && shown.data["data"] == nil && shown.data["hash"] != nil)
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == Self.png)
        #expect(try run(path + "/no/such").status == .refused)
    }
}
