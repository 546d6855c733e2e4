import XMPPCore

/// One of the demo's guests: who asks whom, and how.
struct DemoGuest: Hashable, Sendable {
    var jid: BareJID
    var account: BareJID
    var nickname: String
    var message: String
    /// Who this is, for the narration.
    var introduction: String
    var acceptsAskingBack: Bool

    /// The hosts that the guests live on.
    static let hosts = ["friends.test", "spam.test", "example.test"]

    /// The five guests, spread over the accounts of the first one's policy.
    ///
    /// - Parameter accounts: Those that run, with the names of their policies, in the order of the files.
    /// - Returns: The guests in the order in which they ask; none where there is no account.
    static func five(for accounts: [(jid: BareJID, policy: String)]) -> [DemoGuest] {
        guard let first = accounts.first else { return [] }
        let asked = accounts.filter { $0.policy.utf8.elementsEqual(first.policy.utf8) }.map(\.jid)
        return cast.enumerated().map { number, role in
            DemoGuest(
                jid: BareJID(preparedLocal: role.name, preparedDomain: role.host),
                account: asked[number % asked.count],
                nickname: role.nickname,
                message: role.message,
                introduction: role.introduction,
                acceptsAskingBack: role.host.utf8.elementsEqual("friends.test".utf8))
        }
    }

    private struct Role {
        var name: String
        var host: String
        var nickname: String
        var message: String
        var introduction: String
    }

    private static let cast = [
        Role(
            name: "zoe", host: "friends.test", nickname: "Zoe", message: "Hi, it's Zoe from the choir",
            introduction: "comes from a host of friends"),
        Role(
            name: "deals", host: "spam.test", nickname: "Best Deals", message: "Hello dear, please add me",
            introduction: "comes from a host known for spam"),
        Role(
            name: "lucky", host: "example.test", nickname: "Lucky", message: "Casino bonus: 200 free spins today",
            introduction: "sends an advert"),
        Role(
            name: "mia", host: "example.test", nickname: "Mia", message: "We met at the summer fair",
            introduction: "is a stranger"),
        Role(
            name: "tom", host: "example.test", nickname: "Tom", message: "add me",
            introduction: "is a stranger too"),
    ]
}
