public import XMPPCore

/// What a message answers (XEP-0461).
public struct ReplyReference: Hashable, Sendable {
    /// The id of that message: in a room the one that the room gave it, else its sender's.
    public var id: String
    /// Who wrote it; in a room the occupant.
    public var to: JID?

    /// A reference.
    public init(id: String, to: JID? = nil) {
        self.id = id
        self.to = to
    }
}

/// The payloads of replies (XEP-0461, XEP-0428).
public enum ReplyPayload {
    /// Most fallbacks that are looked at of one message, and most parts of one.
    private static let fallbackLimit = 2

    /// What a message answers; nil where it answers none.
    public static func reply(in message: Message) -> ReplyReference? {
        guard let reply = message.element.first("reply", Namespace.reply), let id = reply[attribute: "id"], !id.isEmpty
        else { return nil }
        return ReplyReference(id: id, to: reply[attribute: "to"].flatMap { try? JID($0) })
    }

    /// The text of a reply, without the quotation that is there for programs that do not know replies.
    public static func text(of message: Message) -> String {
        let body = message.body ?? ""
        var cuts: [Range<Int>] = []
        let scalars = Array(body.unicodeScalars)
        let fallbacks = message.element.elements.filter { $0.matches("fallback", Namespace.fallback) }
        for fallback in fallbacks.prefix(fallbackLimit) where sameBytes(fallback[attribute: "for"], Namespace.reply) {
            for part in fallback.elements.prefix(fallbackLimit) where part.matches("body", Namespace.fallback) {
                // Without bounds it is all of it.
                let start = part[attribute: "start"].map { Int($0) } ?? 0
                let end = part[attribute: "end"].map { Int($0) } ?? scalars.count
                guard let start, let end, start >= 0, start <= end, end <= scalars.count else { continue }
                cuts.append(start..<end)
            }
        }
        guard !cuts.isEmpty else { return body }
        var text = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() where !cuts.contains(where: { $0.contains(index) }) {
            text.append(scalar)
        }
        return String(text)
    }

    /// What makes a message an answer to another.
    ///
    /// - Parameters:
    ///   - reference: What it answers.
    ///   - quoted: The text of that; nil quotes nothing.
    ///   - text: What is said.
    /// - Returns: The body, with the quotation, and the elements beside it.
    public static func make(
        _ reference: ReplyReference, quoting quoted: String? = nil, _ text: String
    ) -> (body: String, children: [Element]) {
        var reply = Element("reply", namespace: Namespace.reply, attributes: [.init("id", reference.id)])
        if let to = reference.to { reply[attribute: "to"] = to.description }
        guard let quoted, !quoted.isEmpty else { return (text, [reply]) }
        let quotation = quoted.split(omittingEmptySubsequences: false) { $0.isNewline }.map { "> \($0)\n" }.joined()
        let part = Element(
            "body", namespace: Namespace.fallback,
            attributes: [.init("start", "0"), .init("end", "\(quotation.unicodeScalars.count)")])
        let fallback = Element(
            "fallback", namespace: Namespace.fallback, attributes: [.init("for", Namespace.reply)],
            children: [.element(part)])
        return (quotation + text, [reply, fallback])
    }
}
