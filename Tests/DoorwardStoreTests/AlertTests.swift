import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("Alerts")
struct AlertTests {
    let store: Store

    init() throws { store = try Store(path: ":memory:") }

    @Test("raised again it keeps its id and time and takes the new text")
    func raisedAgain() async throws {
        let first = try await store.raiseAlert(code: "account_parked", account: account, text: "one", at: time(1))
        let second = try await store.raiseAlert(code: "account_parked", account: account, text: "two", at: time(2))
        #expect(
            first == AlertRow(id: 1, at: time(1), account: account, code: "account_parked", text: "one", clearedAt: nil)
        )
        #expect(
            second
                == AlertRow(id: 1, at: time(1), account: account, code: "account_parked", text: "two", clearedAt: nil)
        )
        #expect(try await store.alerts(all: false) == [second])
    }

    @Test("each account and the service have an alert of their own")
    func perAccount() async throws {
        for owner in [account, otherAccount, nil] {
            _ = try await store.raiseAlert(code: "x", account: owner, text: "t", at: time(1))
            _ = try await store.raiseAlert(code: "x", account: owner, text: "u", at: time(2))
        }
        #expect(try await store.alerts(all: false).map(\.account) == [nil, otherAccount, account])
        #expect(try await store.clearAlert(code: "x", account: nil, at: time(3)))
        #expect(try await !store.clearAlert(code: "x", account: nil, at: time(4)))
        #expect(try await !store.clearAlert(code: "y", account: account, at: time(4)))
        #expect(try await store.alerts(all: false).map(\.account) == [otherAccount, account])
        #expect(try await store.alerts(all: true).map(\.clearedAt) == [time(3), nil, nil])
    }

    @Test("a cleared alert that comes again is a new row")
    func comesAgain() async throws {
        _ = try await store.raiseAlert(code: "x", account: nil, text: "t", at: time(1))
        _ = try await store.clearAlert(code: "x", account: nil, at: time(2))
        let again = try await store.raiseAlert(code: "x", account: nil, text: "t", at: time(3))
        #expect(again.id == 2)
        #expect(again.at == time(3))
    }

    @Test("a condition that comes and goes does not fill the disk, and pushes no raised alert out")
    func bounded() async throws {
        _ = try await store.raiseAlert(code: "first", account: nil, text: "t", at: time(0))
        for index in 0..<1100 {
            _ = try await store.raiseAlert(code: "x", account: nil, text: "t", at: time(Int64(index)))
            _ = try await store.clearAlert(code: "x", account: nil, at: time(Int64(index)))
        }
        let all = try await store.alerts(all: true)
        #expect(all.count == 1001)
        #expect(all.last?.code == "first")
        let long = try await store.raiseAlert(
            code: "y",
            account: nil,
            text: String(repeating: "a", count: 10_000),
            at: time(0)
        )
        #expect(long.text.utf8.count == 4096)
    }
}
