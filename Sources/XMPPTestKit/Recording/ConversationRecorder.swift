import XMPPCore
package import XMPPTransport

/// Writes down what both sides of a scripted server's connections say, byte for byte and in order.
///
/// Every piece is one write as its side made it. `description` is for people and blanks what proves a password or a
/// token; `pieces` has the bytes themselves, to be kept in a file and played again by a `RecordedServer`: record a client whose
/// transport has a seed (``ScriptedServer/transport(time:seed:)``), and one with the same seed says the same again.
public final class ConversationRecorder: Sendable, CustomStringConvertible {
    /// Who said something.
    public enum Side: String, Sendable, Hashable {
        /// The one that connected.
        case client
        /// The scripted server.
        case server
    }

    /// One write.
    public struct Piece: Sendable, Hashable {
        /// Who said it.
        public var side: Side
        /// What.
        public var bytes: [UInt8]
        /// On which connection of the server, counted from 1.
        public var connection: Int
        /// When, by the clock of the recorder.
        public var time: Duration

        /// A write, such as one from a file.
        public init(_ side: Side, _ bytes: [UInt8], connection: Int = 1, time: Duration = .zero) {
            self.side = side
            self.bytes = bytes
            self.connection = connection
            self.time = time
        }
    }

    private let recorded = Locked<[Piece]>([])
    private let time: any TimeSource

    /// A recorder whose pieces have times by that clock.
    public convenience init(time: ManualTime) { self.init(source: time) }

    /// A recorder with the system's clock.
    public convenience init() { self.init(source: SystemTime()) }

    package init(source: any TimeSource) {
        time = source
    }

    /// Everything so far.
    public var pieces: [Piece] { recorded.withLock { $0 } }

    func record(_ side: Side, _ bytes: [UInt8], connection: Int) {
        let piece = Piece(side, bytes, connection: connection, time: time.now)
        recorded.withLock { $0.append(piece) }
    }

    /// The conversation for a person: a line a write, without what proves a password or a token.
    public var description: String {
        pieces.map { piece in
            let name = piece.side == .client ? "C" : "S"
            let text = Self.blanked(String(decoding: piece.bytes, as: UTF8.self))
            return "\(name)\(piece.connection) +\(piece.time): \(text)"
        }.joined(separator: "\n")
    }

    /// Blanks the text of the elements, and the attributes, that hold secrets or what is made of them.
    static func blanked(_ text: String) -> String {
        var result = text
        for name in ["auth", "response", "initial-response", "challenge", "success", "additional-data"] {
            result = blankText(of: name, in: result)
        }
        return blankAttribute("token", in: result)
    }

    private static func blankText(of name: String, in text: String) -> String {
        var (result, rest) = ("", Substring(text))
        while let start = rest.firstRange(of: "<\(name)"), let end = rest[start.upperBound...].firstIndex(of: ">") {
            let after = rest.index(after: end)
            let tag = rest[start.upperBound..<end]
            result += rest[..<after]
            rest = rest[after...]
            // Another element whose name begins so, or an empty one.
            guard tag.first.map({ $0 == " " }) ?? true, tag.last != "/" else { continue }
            let inside = rest.prefix { $0 != "<" }
            if !inside.isEmpty { result += "…" }
            rest = rest[inside.endIndex...]
        }
        return result + rest
    }

    private static func blankAttribute(_ name: String, in text: String) -> String {
        var (result, rest) = ("", Substring(text))
        for quote in ["'", "\""] {
            while let start = rest.firstRange(of: " \(name)=\(quote)") {
                result += rest[..<start.upperBound] + "…"
                rest = rest[start.upperBound...]
                rest = rest[(rest.firstIndex(of: Character(quote)) ?? rest.endIndex)...]
            }
            (result, rest) = ("", Substring(result + rest))
        }
        return result + rest
    }
}
