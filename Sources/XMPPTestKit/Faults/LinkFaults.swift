/// What a bad link does to one connection.
public struct LinkFaults: Sendable, Hashable {
    /// A time in which nothing of what the server says comes; what it says meanwhile, and the end of the link, come behind it.
    public struct Stall: Sendable, Hashable {
        /// How many bytes the server says before.
        public var bytes: Int
        /// How long it lasts, by the client's clock; by a `FaultProxy`'s own where the bytes go through one.
        public var duration: Duration

        /// A stall.
        public init(after bytes: Int, lasting duration: Duration) {
            self.bytes = bytes
            self.duration = duration
        }
    }

    /// How many bytes the client gets at a time; nil for as many as come.
    public var pieceSize: Int?
    /// Where what the server says ends, and how; counted in bytes.
    public var cut: RecordedServer.Cut?
    /// Where what the client says ends, and how; counted in bytes.
    public var outgoingCut: RecordedServer.Cut?
    /// Where what the server says stops for a while, and goes on.
    public var stall: Stall?

    /// A good link.
    public static let none = LinkFaults()

    /// Faults, each of which may be left out.
    public init(
        pieceSize: Int? = nil, cut: RecordedServer.Cut? = nil, outgoingCut: RecordedServer.Cut? = nil,
        stall: Stall? = nil
    ) {
        self.pieceSize = pieceSize
        self.cut = cut
        self.outgoingCut = outgoingCut
        self.stall = stall
    }

    /// What is delivered of the server's bytes, one after the other.
    enum Portion {
        case bytes([UInt8])
        case stall(Duration)
    }

    /// Takes bytes apart, by where they begin among all that the server says.
    func portions(of bytes: some Collection<UInt8>, from offset: Int) -> [Portion] {
        var rest = Array(bytes)[...]
        var portions: [Portion] = []
        func append(_ part: ArraySlice<UInt8>) {
            var part = part
            while !part.isEmpty {
                let piece = part.prefix(max(1, pieceSize ?? part.count))
                part = part.dropFirst(piece.count)
                portions.append(.bytes(Array(piece)))
            }
        }
        if let stall, (offset..<(offset + rest.count)).contains(stall.bytes) {
            append(rest.prefix(stall.bytes - offset))
            rest = rest.dropFirst(stall.bytes - offset)
            portions.append(.stall(stall.duration))
        }
        append(rest)
        return portions
    }
}
