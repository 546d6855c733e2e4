import DoorwardConfig
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// The service of this process as the commands ask it; what only the store knows is asked of the store.
struct RunningService: ServiceControl {
    let service: Service
    let store: Store

    func status() async throws -> ServiceStatus { try await service.status() }

    func pending(all: Bool, account: BareJID?) async throws -> [RequestRow] {
        try await service.pending(all: all, account: account)
    }

    func request(id: Int64) async throws -> RequestRow? { try await store.request(id: id) }

    func waitingCounts() async throws -> [BareJID: Int] { try await store.pendingCounts() }

    func answer(_ answers: [Answer]) async throws -> [AnswerOutcome] { try await service.answer(answers) }

    func history(limit: Int, before: Int64?, account: BareJID?) async throws -> [HistoryRow] {
        try await service.history(limit: limit, before: before, account: account)
    }

    func roster(of account: BareJID) async -> RosterSnapshot? { await service.roster(of: account) }

    func alerts(all: Bool) async throws -> [AlertRow] { try await service.alerts(all: all) }

    func reload() async -> ReloadOutcome { await service.reload() }

    func operators() async -> [OperatorConfiguration] { await service.operators() }
}
