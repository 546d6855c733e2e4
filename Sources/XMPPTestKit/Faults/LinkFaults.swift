/// What a bad link does to one connection.
public struct LinkFaults: Sendable, Hashable {
    /// How many bytes the client gets at a time; nil for as many as come.
    public var pieceSize: Int?
    /// Where what the server says ends, and how; counted in bytes.
    public var cut: RecordedServer.Cut?
    /// Where what the client says ends, and how; counted in bytes.
    public var outgoingCut: RecordedServer.Cut?

    /// A good link.
    public static let none = LinkFaults()

    /// Faults, each of which may be left out.
    public init(
        pieceSize: Int? = nil, cut: RecordedServer.Cut? = nil, outgoingCut: RecordedServer.Cut? = nil
    ) {
        self.pieceSize = pieceSize
        self.cut = cut
        self.outgoingCut = outgoingCut
    }
}
