/// What contacts may ask an account.
extension FileReader {
    /// The words of a list; an empty one answers nothing.
    func answers(_ node: YAMLNode) -> Set<AccountConfiguration.Answer>? {
        let words = AccountConfiguration.Answer.allCases.map(\.rawValue)
        guard let items = sequence(node, "answers", example: "[\(words.joined(separator: ", "))]") else { return nil }
        var answers: Set<AccountConfiguration.Answer> = []
        for item in items.prefix(Self.mostAnswers) {
            guard let word = choice(item, "answer", words), let answer = AccountConfiguration.Answer(rawValue: word)
            else { continue }
            answers.insert(answer)
        }
        if items.count > Self.mostAnswers {
            report(FaultCatalogue.outOfRange, node.mark, "answers has more than \(Self.mostAnswers) entries")
        }
        return answers
    }

    private static let mostAnswers = 16
}
