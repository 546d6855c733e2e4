public import XMPPClient
public import XMPPCore

/// Says in presence what the account can do (XEP-0115, XEP-0390), and what stands behind that.
///
/// Without it nobody's server sends news of personal eventing to the account. It needs a ``DiscoModule`` among the modules,
/// which answers the questions.
public final class CapsModule: SessionModule, DiscoNodes {
    /// How many sets are answered for: the present one and those before (XEP-0390 section 4.4 demands three).
    public static let kept = 3

    private let node: String
    private let disco: DiscoModule
    private var session: ModuleSession?
    /// The newest first.
    private var sets: [Announced] = []

    private struct Announced {
        var info: DiscoInfo
        var first: CapsHash
        var second: CapsHash
    }

    /// A module.
    ///
    /// - Parameters:
    ///   - node: A URI that stands for the program (XEP-0115 section 4); nobody resolves it.
    ///   - disco: What is announced.
    public init(node: String, disco: DiscoModule) {
        self.node = node
        self.disco = disco
    }

    /// It answers no requests itself.
    public var namespaces: [String] { [] }
    /// That of both protocols.
    public var features: [String] { [Namespace.caps, Namespace.caps2] }

    /// Kept to send presence again.
    public func began(_ session: ModuleSession) { self.session = session }

    /// Both protocols; nothing where what is announced is ill-formed.
    public var presenceExtensions: [Element] {
        guard let present = current() else { return [] }
        return [CapsPayload.first(node: node, present.first), CapsPayload.second([present.second])]
    }

    /// The features may have changed: sends presence again if they have.
    public func refresh() {
        let before = sets.first?.info
        if current()?.info != before { session?.announce() }
    }

    /// The present set, as the newest.
    private func current() -> Announced? {
        let info = disco.info
        if let newest = sets.first, newest.info == info { return newest }
        guard let first = CapsHash(.first, .sha1, of: info), let second = CapsHash(.second, .sha256, of: info) else {
            return nil
        }
        let present = Announced(info: info, first: first, second: second)
        sets.removeAll { $0.info == info }
        sets.insert(present, at: 0)
        sets.removeLast(max(0, sets.count - Self.kept))
        return present
    }

    /// Answers for what was announced.
    public func info(node: String, for sender: JID?) -> DiscoInfo? {
        // Asked before any presence, it is there all the same.
        _ = current()
        return sets.first { set in
            sameBytes(node, self.node + "#" + set.first.text) || sameBytes(node, set.second.node)
        }?.info
    }
}
