public import XMPPClient
public import XMPPCore

/// Why something could not be done to a roster.
public struct RosterError: Error, Hashable, Sendable {
    /// What kind it is, as an open set: compare with the named values.
    ///
    /// Where a request failed it has the name of the `ClientError`'s code, such as `refused`, `no_reply` or `offline`.
    public struct Code: Hashable, Sendable {
        /// Stable, for logs and scripts, in snake_case.
        public let name: String

        /// The account cannot be its own contact.
        public static let ownAddress = Code(name: "own_address")
        /// The contact is in the roster, or sees what is to be shown to it.
        public static let alreadyThere = Code(name: "already_there")
        /// The contact is not in the roster.
        public static let notThere = Code(name: "not_there")
        /// The roster of this session is not there yet.
        public static let notLoaded = Code(name: "not_loaded")
        /// No request of the contact to see the account is open in this session.
        public static let notAsked = Code(name: "not_asked")
        /// The contact does not see the account.
        public static let notSeeing = Code(name: "not_seeing")
        /// The server does not keep approvals of requests that have not come.
        public static let notOffered = Code(name: "not_offered")
        /// The server refused it.
        public static let refused = Code(name: "refused")
        /// The server did not answer.
        public static let noReply = Code(name: "no_reply")
        /// There is no session.
        public static let offline = Code(name: "offline")
    }

    /// What kind it is.
    public let code: Code
    /// Whom it is about; nil is the roster as a whole.
    public let contact: BareJID?
    /// What became of the request, where one was made.
    public let cause: ClientError?

    init(_ code: Code, _ contact: BareJID? = nil) {
        (self.code, self.contact, cause) = (code, contact, nil)
    }

    init(_ cause: ClientError, _ contact: BareJID? = nil) {
        (code, self.contact, self.cause) = (Code(name: cause.code.name), contact, cause)
    }
}

extension RosterError: CustomStringConvertible {
    /// What happened and what to do.
    public var description: String {
        let contact = contact?.description ?? "the roster"
        if let cause { return "\(contact): \(cause)" }
        return switch code {
        case .ownAddress: "\(contact) is the account itself; name another address"
        case .alreadyThere: "\(contact) is in the roster; change the item instead"
        case .notThere: "\(contact) is not in the roster; add it first"
        case .notLoaded: "the roster is not there yet; wait until it has arrived"
        case .notAsked:
            "\(contact) has no open request in this session; wait for one, or approve it ahead with preApprove"
        case .notSeeing: "\(contact) does not see the account; there is nothing to take back"
        case .notOffered: "the server keeps no approval for \(contact) before it asks; wait for its request"
        case _: "\(contact): \(code.name)"
        }
    }
}
