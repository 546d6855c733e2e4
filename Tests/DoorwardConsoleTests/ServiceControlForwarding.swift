import DoorwardConfig
import DoorwardConsole
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// A service that waits before it hands each question on.
protocol ServiceControlForwarding: ServiceControl {
    nonisolated var inner: FakeService { get }
    func pause() async
}

extension ServiceControlForwarding {
    func status() async throws -> ServiceStatus {
        await pause()
        return try await inner.status()
    }

    func pending(all: Bool, account: BareJID?, after: Int64) async throws -> [RequestRow] {
        await pause()
        return try await inner.pending(all: all, account: account, after: after)
    }

    func request(id: Int64) async throws -> RequestRow? {
        await pause()
        return try await inner.request(id: id)
    }

    func waitingCounts() async throws -> [BareJID: Int] {
        await pause()
        return try await inner.waitingCounts()
    }

    func answer(_ answers: [Answer]) async throws -> [AnswerOutcome] {
        await pause()
        return try await inner.answer(answers)
    }

    func history(limit: Int, before: Int64?, account: BareJID?) async throws -> [HistoryRow] {
        await pause()
        return try await inner.history(limit: limit, before: before, account: account)
    }

    func roster(of account: BareJID) async throws -> RosterSnapshot? {
        await pause()
        return await inner.roster(of: account)
    }

    func goneContacts(of account: BareJID, limit: Int) async throws -> [GoneContact]? {
        await pause()
        return try await inner.goneContacts(of: account, limit: limit)
    }

    func change(
        _ order: ContactOrder, of contact: BareJID, on account: BareJID, by name: String
    ) async throws -> ContactOutcome {
        await pause()
        return try await inner.change(order, of: contact, on: account, by: name)
    }

    func trustAgain(_ account: BareJID, by name: String) async throws -> Bool {
        await pause()
        return try await inner.trustAgain(account, by: name)
    }

    func avatar(
        of contact: BareJID, account: BareJID, fresh: Bool, asking: AvatarAsking
    ) async throws -> Result<AvatarAnswer, AvatarRefusal> {
        await pause()
        return try await inner.avatar(of: contact, account: account, fresh: fresh, asking: asking)
    }

    func setAvatar(_ image: AvatarImage, of account: BareJID, by name: String) async -> AvatarRefusal? {
        await pause()
        return await inner.setAvatar(image, of: account, by: name)
    }

    func alerts(all: Bool) async throws -> [AlertRow] {
        await pause()
        return try await inner.alerts(all: all)
    }

    func reload() async -> ReloadOutcome {
        await pause()
        return await inner.reload()
    }

    func operators() async -> [OperatorConfiguration] { [] }
}
