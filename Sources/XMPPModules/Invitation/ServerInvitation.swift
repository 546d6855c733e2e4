public import XMPPCore

/// An invitation that the account's own server makes (XEP-0401): its link adds the account, and where the server allows it
/// also lets somebody without an account make one there.
///
/// The server hands the token out and does not answer requests that show it: that is for whoever has asked for it.
///
/// ```swift
/// var command = ServerInvitation.command
/// session.request(.set, to: server, command.begin()) { reply in
///     guard case .success(let payload?) = reply, command.received(payload),
///         let made = ServerInvitation(command, account: account)
///     else { return }
///     // made.link is to be given to somebody.
/// }
/// ```
public struct ServerInvitation: Hashable, Sendable {
    /// Most bytes of the address of a page.
    public static let pageLimit = 2_048
    /// The command that makes one (XEP-0401 section 3), which a server has under its own address.
    public static var command: RequestedCommand { RequestedCommand(node: "urn:xmpp:invite#invite") }

    /// The link.
    public var link: InvitationURI
    /// A page of the server that explains it to people without a client; nil for none.
    public var page: String?
    /// When it ends, in seconds since 1970; nil for never.
    public var expires: Int64?

    /// An invitation.
    public init(link: InvitationURI, page: String? = nil, expires: Int64? = nil) {
        self.link = link
        self.page = page
        self.expires = expires
    }

    /// Reads what the command has found.
    ///
    /// A server may call the form one to be filled in, and leave its `FORM_TYPE` out (Prosody 0.12 does).
    ///
    /// - Parameters:
    ///   - command: The command, after its answer.
    ///   - account: Whom the link must add: nil comes of another one, of a command that is not done, and of a moment that is
    ///     none.
    public init?(_ command: RequestedCommand, account: BareJID) {
        guard command.status == .completed, let form = command.form,
            let link = form.value("uri").flatMap(InvitationURI.init), link.account == account
        else { return nil }
        // The registry of XEP-0401 spells it otherwise than its text.
        let end = form.value("expire") ?? form.value("expiry")
        let expires = end.flatMap { seconds(ofDateTime: $0) }
        guard end?.isEmpty ?? true || expires != nil else { return nil }
        self.init(link: link, page: form.value("landing-url").flatMap(Self.page), expires: expires)
    }

    /// A page that can be shown and typed: of the web, and in ASCII (RFC 3986 section 2).
    private static func page(_ text: String) -> String? {
        guard text.utf8.count <= pageLimit, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            text.utf8.starts(with: "https://".utf8) || text.utf8.starts(with: "http://".utf8)
        else { return nil }
        return text
    }
}
