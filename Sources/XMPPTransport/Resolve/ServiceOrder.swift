/// The order in which to try SRV targets (RFC 2782).
enum ServiceOrder {
    /// More targets than this are not tried: the answer is a stranger's.
    static let targetLimit = 16

    /// By priority; of one priority by chance, in proportion to the weights.
    static func ordered(
        _ records: [ServiceRecord],
        using generator: inout some RandomNumberGenerator
    ) -> [ServiceRecord] {
        var result: [ServiceRecord] = []
        for (_, group) in Dictionary(grouping: records, by: \.priority).sorted(by: { $0.key < $1.key }) {
            // Weight 0 first, so that it has a small chance too.
            var rest = group.sorted { $0.weight < $1.weight }
            while !rest.isEmpty {
                let total = rest.reduce(0) { $0 + Int($1.weight) }
                let chosen = Int.random(in: 0...total, using: &generator)
                var sum = 0
                let index =
                    rest.firstIndex { record in
                        sum += Int(record.weight)
                        return sum >= chosen
                    } ?? 0
                result.append(rest.remove(at: index))
            }
        }
        return Array(result.prefix(targetLimit))
    }

    /// Whether the domain says that it has no such service: one record, whose target is the root.
    static func isNotOffered(_ records: [ServiceRecord]) -> Bool {
        !records.isEmpty && records.allSatisfy(\.target.isEmpty)
    }
}
