import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// What tests of approvals ahead do and look at.
extension ContactOrder {
    static let approving = ContactOrder.add(.init(name: "New", preApproves: true))
}

extension World {
    func change(_ order: ContactOrder, _ contact: BareJID = .new) async throws -> ContactOutcome {
        try await service.change(order, of: contact, on: .bot, by: "ana")
    }

    /// The contact is added and approved.
    func approve() async throws {
        guard case .done = try await change(.approving) else { throw Missing() }
        try await quiet()
    }

    /// Whether the server has the approval.
    func isApprovedOnServer() async -> Bool? { await server.roster(of: .bot).first { $0.jid == .new }?.approved }

    func isShownAsApproved() async throws -> Bool? {
        try await service.roster(of: .bot)?.items.first { $0.jid == .new }?.isApproved
    }

    func letIns() async throws -> [HistoryRow] { try await history().filter { $0.action == "let_in" } }

    /// The server lets the contact in, as one does that has the approval: nobody is asked.
    func letIn() async {
        await server.push(.new, to: .bot) { $0.subscription = $0.subscription == "to" ? "both" : "from" }
    }

    func refuse() async throws {
        await server.send("<presence type='unsubscribed' from='new@example.net'/>", to: .bot)
        await server.push(.new, to: .bot) { $0.asked = false }
        try await quiet()
    }
}
