/// The order in which to try SRV targets (RFC 2782), of both services in one list (XEP-0368 section 5).
enum ServiceOrder {
    /// More targets than this are not tried: the answer is a stranger's.
    static let targetLimit = 16

    /// Groups by priority; within each the targets by chance, in proportion to the weights.
    static func groups(
        _ records: [(record: ServiceRecord, kind: ServiceKind)],
        using generator: inout any RandomNumberGenerator
    ) -> [[ConnectStep.Target]] {
        var groups: [[ConnectStep.Target]] = []
        var room = targetLimit
        let byPriority = Dictionary(grouping: records, by: \.record.priority)
        for priority in byPriority.keys.sorted() where room > 0 {
            // Weight 0 first, so that it has a small chance too.
            var rest = byPriority[priority, default: []].sorted { $0.record.weight < $1.record.weight }
            var total = rest.reduce(0) { $0 + Int($1.record.weight) }
            var group: [ConnectStep.Target] = []
            while !rest.isEmpty && room > 0 {
                let chosen = Int.random(in: 0...total, using: &generator)
                var sum = 0
                let index =
                    rest.firstIndex { item in
                        sum += Int(item.record.weight)
                        return sum >= chosen
                    } ?? 0
                let (record, kind) = rest.remove(at: index)
                total -= Int(record.weight)
                room -= 1
                group.append(
                    ConnectStep.Target(host: record.target, port: record.port, isDirectTLS: kind == .directTLS))
            }
            groups.append(group)
        }
        return groups
    }
}
