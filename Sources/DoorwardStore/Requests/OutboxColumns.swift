/// An outbox row's steps as one column of words: `roster_set:confirmed verdict:written:7 block:due`.
enum OutboxColumns {
    static func text(of steps: [OutboxStep]) -> String {
        steps.map { step in
            let state =
                switch step.state {
                case .due: "due"
                case .written(let session): "written:\(session)"
                case .confirmed: "confirmed"
                case .dropped: "dropped"
                }
            return step.kind.rawValue + ":" + state
        }.joined(separator: " ")
    }

    static func steps(_ text: String) throws(StoreError) -> [OutboxStep] {
        var steps: [OutboxStep] = []
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 2, let kind = OutboxStep.Kind(rawValue: parts[0]) else { throw damaged }
            switch (parts[1], parts.count) {
            case ("due", 2): steps.append(OutboxStep(kind, .due))
            case ("written", 3):
                guard let session = Int64(parts[2]) else { throw damaged }
                steps.append(OutboxStep(kind, .written(session: session)))
            case ("confirmed", 2): steps.append(OutboxStep(kind, .confirmed))
            case ("dropped", 2): steps.append(OutboxStep(kind, .dropped))
            case (_, _): throw damaged
            }
        }
        return steps
    }

    static func kinds(_ kinds: [OutboxStep.Kind]) -> String? {
        kinds.isEmpty ? nil : kinds.map(\.rawValue).joined(separator: " ")
    }

    private static var damaged: StoreError { .corrupt("the steps of an answer") }
}
