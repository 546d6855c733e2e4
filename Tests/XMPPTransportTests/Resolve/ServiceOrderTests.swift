import Testing

@testable import XMPPTransport

@Suite("The order of SRV targets")
struct ServiceOrderTests {
    private func groups(_ records: [ServiceRecord], _ generator: inout any RandomNumberGenerator) -> [[String]] {
        ServiceOrder.groups(records.map { ($0, .startTLS) }, using: &generator).map { $0.map(\.host) }
    }

    @Test("is by priority first", arguments: [1, 7, UInt64.max])
    func priority(_ value: UInt64) {
        var generator: any RandomNumberGenerator = Constant(value: value)
        let records = [record(20, 0, "c"), record(5, 0, "a"), record(10, 65535, "b")]
        #expect(groups(records, &generator) == [["a"], ["b"], ["c"]])
    }

    @Test("is by chance in proportion to the weights within a priority")
    func weight() {
        var generator: any RandomNumberGenerator = Seeded(state: 1)
        let records = [record(1, 60, "big"), record(1, 20, "small"), record(1, 20, "other"), record(1, 0, "none")]
        var firsts: [String: Int] = [:]
        for _ in 0..<10_000 {
            let order = groups(records, &generator)
            #expect(order.count == 1)
            #expect(Set(order[0]) == Set(records.map(\.target)))
            firsts[order[0][0], default: 0] += 1
        }
        // 60, 20, 20 and 1 of 101.
        #expect((5700...6200).contains(firsts["big", default: 0]))
        #expect((1800...2200).contains(firsts["small", default: 0]))
        #expect((1800...2200).contains(firsts["other", default: 0]))
        #expect((50...200).contains(firsts["none", default: 0]))
    }

    @Test("stops at sixteen targets, the first by priority of a thousand")
    func limit() {
        var generator: any RandomNumberGenerator = Seeded(state: 2)
        let records = (0..<1000).reversed().map { record(UInt16($0), 65535, "h\($0)") }
        #expect(groups(records, &generator) == (0..<16).map { ["h\($0)"] })
        let equal = (0..<1000).map { record(1, 1, "h\($0)") }
        #expect(groups(equal, &generator).map(\.count) == [16])
    }

    @Test("does not overflow with the greatest weights")
    func greatest() {
        var generator: any RandomNumberGenerator = Seeded(state: 3)
        #expect(groups((0..<1000).map { record(0, .max, "h\($0)") }, &generator)[0].count == 16)
    }

    @Test("mixes both services, each target with its own kind of TLS")
    func bothServices() {
        var generator: any RandomNumberGenerator = Constant(value: 1)
        let groups = ServiceOrder.groups(
            [
                (record(2, 0, "direct", 443), .directTLS), (record(1, 0, "start", 5222), .startTLS),
                (record(2, 5, "start2", 5222), .startTLS),
            ], using: &generator)
        #expect(
            groups == [
                [ConnectStep.Target(host: "start", port: 5222, isDirectTLS: false)],
                [
                    ConnectStep.Target(host: "direct", port: 443, isDirectTLS: true),
                    ConnectStep.Target(host: "start2", port: 5222, isDirectTLS: false),
                ],
            ])
    }
}
