import DoorwardPolicy
import FoundationEssentials

/// A decision as two columns: its word, and its options as JSON so that groups and names may hold any character.
enum DecisionColumns {
    private struct AcceptOptions: Decodable {
        var subscribeBack: Bool
        var groups: [String]
        var name: String?

        enum CodingKeys: String, CodingKey {
            case subscribeBack = "subscribe_back"
            case groups, name
        }
    }

    private struct RejectOptions: Decodable {
        var block: Bool
        var report: String?
    }

    // The common ones, without a decoder.
    private static let plainAccept = #"{"groups":[],"subscribe_back":false}"#
    private static let subscribingAccept = #"{"groups":[],"subscribe_back":true}"#
    private static let plainReject = #"{"block":false}"#
    private static let blockingReject = #"{"block":true}"#

    static func options(of decision: Decision?) -> String? {
        switch decision {
        case .accept(let accept):
            guard !accept.groups.isEmpty || accept.name != nil else {
                return accept.subscribeBack ? subscribingAccept : plainAccept
            }
            let groups = accept.groups.map(quoted).joined(separator: ",")
            let name = accept.name.map { #""name":"# + quoted($0) + "," } ?? ""
            return #"{"groups":["# + groups + "]," + name + #""subscribe_back":"# + "\(accept.subscribeBack)}"
        case .reject(let reject):
            if let report = reject.report { return #"{"block":true,"report":"# + quoted(report.rawValue) + "}" }
            return reject.block ? blockingReject : plainReject
        case .ask, .ignore, nil: return nil
        }
    }

    static func decision(word: String?, options: String?) throws(StoreError) -> Decision? {
        switch word {
        case nil: return nil
        case "accept":
            if let options, options.utf8.elementsEqual(plainAccept.utf8) { return .accept(Acceptance()) }
            if let options, options.utf8.elementsEqual(subscribingAccept.utf8) {
                return .accept(Acceptance(subscribeBack: true))
            }
            let read = try decode(AcceptOptions.self, options)
            return .accept(Acceptance(subscribeBack: read.subscribeBack, groups: read.groups, name: read.name))
        case "reject":
            let read = try decode(RejectOptions.self, options)
            return .reject(Rejection(block: read.block, report: read.report.flatMap(Rejection.Report.init(rawValue:))))
        case "ask": return .ask
        case "ignore": return .ignore
        case _?: throw .corrupt("unknown decision")
        }
    }

    /// A text as JSON has it: quotes, backslashes and controls are escaped (RFC 8259 section 7).
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
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
