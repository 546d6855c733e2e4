import XMPPClient

/// Why a picture is not there, or was not published.
package struct AvatarRefusal: Error, Hashable, Sendable {
    /// Safe to show.
    package let text: String

    /// A refusal in these words.
    package init(text: String) { self.text = text }

    static let observing = AvatarRefusal(
        text: "the account only observes, and asks nobody; with mode: enforce it does")
    static let blocked = AvatarRefusal(text: "the account has blocked it, and sends it nothing")
    static let stranger = AvatarRefusal(
        text: "it is no contact with a subscription, and asking it would tell it the account's full address; "
            + "an operator may ask it")
    static let offline = AvatarRefusal(text: "the account is not online at the moment")
}

extension AvatarRefusal {
    init(_ error: ClientError) {
        switch error.code {
        case .refused: text = "the server refused it (\(error.condition ?? "no reason"))"
        case .offline: self = .offline
        case .noReply: text = "no answer came"
        case .uselessReply: text = error.description
        case _: text = error.text
        }
    }
}
