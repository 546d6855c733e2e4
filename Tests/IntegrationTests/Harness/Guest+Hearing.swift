import Foundation
import XMPPCore

/// What a guest hears of subscriptions, in the order in which its server says it.
extension Guest {
    /// Presences with a type or from another, pushes and errors behind the mark, once all that the others have caused is
    /// there: `subscribed a@x`, `push a@x to`, `push a@x none asked`.
    func heard(after mark: Int, causedBy others: [Guest] = []) async throws -> [String] {
        for other in others where other !== self {
            let id = UUID().uuidString
            let body = Element("body", namespace: Namespace.client, children: [.text(id)])
            var marker = Element("message", namespace: Namespace.client, children: [.element(body)])
            marker[attribute: "to"] = address
            marker[attribute: "type"] = "chat"
            other.send(marker)
            try await next("the marker of \(other.address)", after: mark) {
                $0.name == "message" && $0.first("body", Namespace.client)?.text == id
            }
        }
        try await settle()
        let own = address
        return queue.sync { log.dropFirst(mark).compactMap { Self.word($0, of: own) } }
    }

    private static func word(_ element: Element, of own: String) -> String? {
        if element.name == "presence" {
            let from = element[attribute: "from"].map { String($0.prefix { $0 != "/" }) } ?? own
            guard from != own else { return nil }
            return "\(element[attribute: "type"] ?? "available") \(from)"
        }
        guard element.name == "iq", element[attribute: "type"] == "set",
            let item = element.first("query", Namespace.roster)?.first("item", Namespace.roster)
        else { return nil }
        let asked = item[attribute: "ask"] == nil ? "" : " asked"
        return "push \(item[attribute: "jid"] ?? "") \(item[attribute: "subscription"] ?? "none")\(asked)"
    }

    /// The first result and the first push behind the mark, in their order: `result`, `set`.
    func answersAndPushes(after mark: Int) -> [String] {
        queue.sync {
            var seen: [String] = []
            for element in log.dropFirst(mark) where element.name == "iq" {
                guard let type = element[attribute: "type"], type == "result" || type == "set", !seen.contains(type)
                else {
                    continue
                }
                seen.append(type)
            }
            return seen
        }
    }

    /// The state of a contact in its roster as the server has it now: `to`, `none asked`; nil where it has none.
    func state(of contact: String) async throws -> String? {
        try await roster()[contact].map { $0.subscription + ($0.asked ? " asked" : "") }
    }

    /// Sets an item, and tells what the server says: nil for a result.
    func set(_ contact: String, groups: [String] = [], subscription: String? = nil) async throws -> String? {
        var item = Element("item", namespace: Namespace.roster, attributes: [.init("jid", contact)])
        item[attribute: "subscription"] = subscription
        item.children = groups.map { group in
            .element(Element("group", namespace: Namespace.roster, children: group.isEmpty ? [] : [.text(group)]))
        }
        do {
            try await request("set", Element("query", namespace: Namespace.roster, children: [.element(item)]))
            return nil
        } catch let error as HarnessError {
            return error.description.split(separator: " ").last.map(String.init)
        }
    }
}
