public import XMPPCore

/// A module that has nodes of its own in the account's service discovery, such as its commands.
///
/// ``DiscoModule`` asks those of its session; who may know of the account at all, it has made sure of.
public protocol DiscoNodes: AnyObject {
    /// What one of its nodes is.
    ///
    /// - Parameters:
    ///   - node: Which.
    ///   - sender: Who asks; nil is the account's server.
    /// - Returns: Nil where it is no node of its, or none that the sender may see.
    func info(node: String, for sender: JID?) -> DiscoInfo?

    /// What one of its nodes has, or what it adds to those of the account.
    ///
    /// - Parameters:
    ///   - node: Which; nil is the account itself.
    ///   - sender: Who asks; nil is the account's server.
    /// - Returns: Nil where it is no node of its, or none that the sender may see.
    func items(node: String?, for sender: JID?) -> [DiscoItem]?
}

extension DiscoNodes {
    /// It has none.
    public func items(node: String?, for sender: JID?) -> [DiscoItem]? { nil }
}
