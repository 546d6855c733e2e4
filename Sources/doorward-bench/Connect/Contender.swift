/// Who is measured.
struct Contender: Sendable {
    enum Kind: Sendable {
        case floor, ours, peer
    }

    var name: String
    /// What the arguments of the contract are appended to.
    var command: [String]
    var kind: Kind

    /// Our library as an author uses it.
    ///
    /// - Throws: Where this program's folder is not known.
    static func ours() throws(BenchError) -> Contender {
        Contender(name: "ours", command: ["\(try BenchTools.ownFolder())/doorward-bench", "bot"], kind: .ours)
    }

    /// The same on OpenSSL and expat with nothing between; `tools` is the folder that has it.
    static func floor(_ tools: String) -> Contender {
        Contender(name: "floor", command: ["\(tools)/bench-floor"], kind: .floor)
    }
}
