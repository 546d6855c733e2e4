public import XMPPClient
package import XMPPTransport

/// Plays the server's side of a recorded conversation again, byte for byte: each write once the client has said as much
/// as it had before it in the recording.
///
/// A client whose chance is the same as at the recording, by a transport of the same seed, says the same bytes, and gets as far.
/// The link can be cut after any byte, and the bytes can come in pieces of any size.
///
/// ```swift
/// let recorder = ConversationRecorder()
/// await server.record(with: recorder)
/// options.transport = server.transport(seed: 1)
/// // …run the client, and keep the recording:
/// let file = try JSONEncoder().encode(recorder.pieces)
/// // …another day:
/// let recorded = RecordedServer(try JSONDecoder().decode([ConversationRecorder.Piece].self, from: file))
/// options.transport = recorded.transport(seed: 1)
/// ```
public final class RecordedServer: Sendable {
    /// Where and how the link ends.
    public struct Cut: Sendable, Hashable {
        /// How the link ends.
        public enum Ending: Sendable, CaseIterable {
            /// TCP ends in order.
            case endOfStream
            /// As by a reset.
            case reset
            /// Nothing more is said, and nothing ends.
            case silence
        }

        /// How many bytes the server still says.
        public var bytes: Int
        /// How the link ends then.
        public var ending: Ending

        /// A cut.
        public init(after bytes: Int, _ ending: Ending) {
            self.bytes = bytes
            self.ending = ending
        }
    }

    /// Where each connection's client first said something else than the recorded one; nothing for those that did not.
    public let differences = EventRecorder<Int>()
    /// How many bytes each connection's client had said when all was played to its end.
    public let endings = EventRecorder<Int>()
    private let script: [ConversationRecorder.Piece]
    private let cut: Locked<Cut?>
    private let pieceSize: Int?

    /// Plays one connection of a recording.
    ///
    /// - Parameters:
    ///   - pieces: The recording.
    ///   - connection: Which of its connections, counted from 1.
    ///   - cut: Where the link ends; nil leaves it up at the end.
    ///   - pieceSize: How many bytes come at a time; nil for those of a write at once.
    public init(
        _ pieces: [ConversationRecorder.Piece], connection: Int = 1, cut: Cut? = nil, pieceSize: Int? = nil
    ) {
        script = pieces.filter { $0.connection == connection }
        self.cut = Locked(cut)
        self.pieceSize = pieceSize
    }

    /// How many bytes the server says in all.
    public var length: Int { script.filter { $0.side == .server }.reduce(0) { $0 + $1.bytes.count } }

    /// Where the link of the next connection ends; nil leaves it up at the end.
    public func cut(_ cut: Cut?) { self.cut.withLock { $0 = cut } }

    /// The way to this server within the process.
    ///
    /// - Parameters:
    ///   - time: The clock of whoever uses it; nil for the system's.
    ///   - seed: The one that the client had at the recording.
    /// - Returns: What a client's options take.
    public func transport(time: ManualTime? = nil, seed: UInt64? = nil) -> ClientTransport {
        ClientTransport(connector, time, seed)
    }

    /// Connects to this server, on the loop of whoever does.
    package var connector: any Connector {
        MemoryConnector { [self] channel, _ in
            channel.agree(on: .inMemory, peerSees: .inMemory)
            let player = Player(
                script, channel, cut: cut.withLock { $0 }, pieceSize: pieceSize, differences: differences,
                endings: endings)
            return { player.take($0) }
        }
    }
}

/// One connection of a `RecordedServer`.
///
/// Unchecked: its channel's events, which come on one loop, are all that calls it.
private final class Player: @unchecked Sendable {
    private let channel: MemoryChannel
    private let pieceSize: Int?
    private let differences: EventRecorder<Int>
    private let endings: EventRecorder<Int>
    private let cut: RecordedServer.Cut?
    private var script: ArraySlice<ConversationRecorder.Piece>
    /// What the client is still to say before the server's next write.
    private var awaited: ArraySlice<UInt8> = []
    private var said = 0
    private var heard = 0
    private var hasDiffered = false
    private var hasPlayedAll = false
    private var isOver = false

    init(
        _ script: [ConversationRecorder.Piece], _ channel: MemoryChannel, cut: RecordedServer.Cut?, pieceSize: Int?,
        differences: EventRecorder<Int>, endings: EventRecorder<Int>
    ) {
        self.script = script[...]
        self.channel = channel
        self.cut = cut
        self.pieceSize = pieceSize
        self.differences = differences
        self.endings = endings
    }

    func take(_ event: ChannelEvent) {
        switch event {
        case .connected, .secured: play()
        case .received(let bytes):
            hear(bytes)
            play()
        case .attempted, .writable: break
        case .closed: isOver = true
        }
    }

    private func hear(_ bytes: [UInt8]) {
        for byte in bytes {
            // More than the recorded client said so far: it is that of a later write.
            while awaited.isEmpty, let piece = script.first {
                guard piece.side == .client else { break }
                script = script.dropFirst()
                awaited = piece.bytes[...]
            }
            if awaited.popFirst() != byte, !hasDiffered {
                hasDiffered = true
                differences.record(heard)
            }
            heard += 1
        }
    }

    /// Says all that the recorded server said before it heard more.
    private func play() {
        while !isOver, awaited.isEmpty, let piece = script.first {
            script = script.dropFirst()
            switch piece.side {
            case .client: awaited = piece.bytes[...]
            case .server: say(piece.bytes)
            }
        }
        guard script.isEmpty, awaited.isEmpty else { return }
        endIfDue()
        guard !isOver, !hasPlayedAll else { return }
        hasPlayedAll = true
        endings.record(heard)
    }

    private func say(_ bytes: [UInt8]) {
        var rest = bytes[...]
        if let cut { rest = rest.prefix(cut.bytes - said) }
        said += rest.count
        while !rest.isEmpty {
            let piece = rest.prefix(pieceSize ?? rest.count)
            rest = rest.dropFirst(piece.count)
            channel.send(Array(piece))
        }
        endIfDue()
    }

    private func endIfDue() {
        guard let cut, said >= cut.bytes, !isOver else { return }
        isOver = true
        switch cut.ending {
        case .endOfStream: channel.close()
        case .reset: channel.breakLink()
        case .silence: break
        }
    }
}
