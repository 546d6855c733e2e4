package import XMPPCore

/// Questions under way that more than one waits for: the same to the same address is asked once.
final class JoinedQuestions {
    typealias Reply = (Result<Element?, ClientError>) -> Void

    struct Question: Hashable {
        var recipient: JID?
        var payload: Element
    }

    private var waiting: [Question: [Reply]] = [:]

    /// Adds somebody who waits.
    ///
    /// - Returns: Whether it is the first one, who must ask.
    func begins(_ question: Question, _ reply: @escaping Reply) -> Bool {
        waiting[question, default: []].append(reply)
        return waiting[question]?.count == 1
    }

    /// The answer is there: those who waited for it.
    func ended(_ question: Question) -> [Reply] { waiting.removeValue(forKey: question) ?? [] }
}

extension ModuleSession {
    /// Asks what others of the session may be asking at this moment: then it waits for their answer, as long as they do.
    ///
    /// - Parameters:
    ///   - recipient: Whom; nil for the account itself.
    ///   - payload: What.
    ///   - timeout: How long to wait for the answer, where nobody asks yet.
    ///   - reply: As in ``request(_:to:_:timeout:reply:)``.
    package func askOnce(
        _ recipient: JID?, _ payload: Element, timeout: Duration = Client.requestTimeout,
        reply: @escaping (Result<Element?, ClientError>) -> Void
    ) {
        guard let questions else { return request(.get, to: recipient, payload, timeout: timeout, reply: reply) }
        let question = JoinedQuestions.Question(recipient: recipient, payload: payload)
        guard questions.begins(question, reply) else { return }
        request(.get, to: recipient, payload, timeout: timeout) { result in
            for reply in questions.ended(question) { reply(result) }
        }
    }
}
