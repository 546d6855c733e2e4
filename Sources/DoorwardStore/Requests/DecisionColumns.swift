import DoorwardPolicy
import FoundationEssentials

/// A decision as two columns: its word, and its options as JSON so that groups and names may hold any character.
enum DecisionColumns {
    private struct AcceptOptions: Codable {
        var subscribeBack: Bool
        var groups: [String]
        var name: String?

        enum CodingKeys: String, CodingKey {
            case subscribeBack = "subscribe_back"
            case groups, name
        }
    }

    private struct RejectOptions: Codable {
        var block: Bool
    }

    // The common ones, without an encoder.
    private static let plainAccept = #"{"groups":[],"subscribe_back":false}"#
    private static let plainReject = #"{"block":false}"#
    private static let blockingReject = #"{"block":true}"#

    static func options(of decision: Decision?) throws(StoreError) -> String? {
        switch decision {
        case .accept(let accept):
            if !accept.subscribeBack, accept.groups.isEmpty, accept.name == nil { return plainAccept }
            return try encode(
                AcceptOptions(subscribeBack: accept.subscribeBack, groups: accept.groups, name: accept.name)
            )
        case .reject(let reject): return reject.block ? blockingReject : plainReject
        case .ask, .ignore, nil: return nil
        }
    }

    static func decision(word: String?, options: String?) throws(StoreError) -> Decision? {
        switch word {
        case nil: return nil
        case "accept":
            if let options, options.utf8.elementsEqual(plainAccept.utf8) { return .accept(Acceptance()) }
            let read = try decode(AcceptOptions.self, options)
            return .accept(Acceptance(subscribeBack: read.subscribeBack, groups: read.groups, name: read.name))
        case "reject": return .reject(Rejection(block: try decode(RejectOptions.self, options).block))
        case "ask": return .ask
        case "ignore": return .ignore
        case _?: throw .corrupt("unknown decision")
        }
    }

    private static func encode(_ options: some Encodable) throws(StoreError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(options), as: UTF8.self)
        } catch {
            throw StoreError(.misuse, "the options of a decision cannot be written as JSON")
        }
    }

    private static func decode<Options: Decodable>(_ type: Options.Type, _ text: String?) throws(StoreError) -> Options
    {
        do {
            return try JSONDecoder().decode(type, from: Data((text ?? "").utf8))
        } catch {
            throw .corrupt("the options of a decision")
        }
    }
}
