extension ServerBehaviour {
    /// SASL2 (XEP-0388), Bind2 (XEP-0386) and FAST (XEP-0484).
    public struct SASL2: Sendable {
        /// What is done with tokens.
        public enum Tokens: Sendable, CaseIterable {
            /// One is given to whoever asks, and lets in.
            case proper
            /// As `proper`, and each login by token brings a new one.
            case rotated
            /// None is given, although they are offered.
            case withheld
            /// `not-authorized` for each.
            case refused
            /// `credentials-expired` for each.
            case expired
        }

        /// The mechanisms offered; nil offers those of RFC 6120's list.
        public var mechanisms: [String]?
        /// Whether a resource can be bound with the login.
        public var offersBind = true
        /// Whether stream management can be enabled and resumed with the login, where the server has it.
        public var offersStreamManagement = true
        /// The mechanisms of tokens; with none, there are no tokens.
        public var tokenMechanisms = ["HT-SHA-256-EXPR", "HT-SHA-256-ENDP", "HT-SHA-256-NONE"]
        /// What is done with tokens.
        public var tokens = Tokens.proper
        /// Until when a token is good, as the server writes it (XEP-0082).
        public var tokenExpiry = "2036-01-01T00:00:00Z"
        /// Whether the parts of `<success/>` come in the opposite order: none is fixed.
        public var reversesSuccess = false
        /// Whether the features follow the success, as they must.
        public var sendsFeatures = true
        /// The tasks that it wants done behind the password (XEP-0388 section 2.6.5); with none it is content.
        public var tasks: [String] = []

        /// All of it.
        public init() {}
    }

    /// Stream management (XEP-0198).
    public struct StreamManagement: Sendable {
        /// Whether a session can be resumed.
        public var allowsResumption = true
        /// Where it says that it prefers to be called.
        public var location: String?
        /// How long it says that it keeps a session, in seconds; nil does not say.
        public var maximum: Int? = 300
        /// The condition with which it refuses to enable it; nil enables it.
        public var refusal: String?
        /// How it refuses to resume any session, which is then gone; nil resumes those that it has, and refuses others by
        /// `item-not-found`.
        public var resumptionRefusal: ResumptionRefusal?
        /// Whether it says how much was handled when it refuses a resumption.
        public var tellsCountOfLostSessions = false
        /// Whether it asks for an acknowledgement behind each stanza, as ejabberd does.
        public var asksForAcknowledgements = false
        /// Whether it answers when it is asked for one.
        public var acknowledges = true

        /// All of it, kept for five minutes.
        public init() {}
    }

    /// A moment of a connection, by what the client has just sent.
    public enum Moment: Sendable, CaseIterable {
        /// The header of the stream in clear.
        case headerInClear
        /// `<starttls/>`.
        case startTLS
        /// The header behind TLS.
        case headerBehindTLS
        /// `<auth/>` or `<authenticate/>`.
        case authentication
        /// SASL's `<response/>`.
        case response
        /// The header behind the login.
        case headerBehindLogin
        /// The request for a resource.
        case binding
        /// Any stanza of a bound session.
        case stanza
    }

    /// Something said instead of the answer at one moment, behind which the stream ends.
    public struct Interruption: Sendable {
        /// When.
        public var moment: Moment
        /// What is said; the stream's own header is sent before, where it is not yet.
        public var xml: String
        /// How often; nil every time.
        public var times: Int?

        /// Any XML.
        public init(at moment: Moment, times: Int? = nil, xml: String) {
            self.moment = moment
            self.times = times
            self.xml = xml
        }

        /// A stream error (RFC 6120 section 4.9); `value` is the condition's own text, as `see-other-host` has one.
        public init(at moment: Moment, times: Int? = nil, streamError condition: String, value: String = "") {
            let namespace = "urn:ietf:params:xml:ns:xmpp-streams"
            let error = "<\(condition) xmlns='\(namespace)'>\(value)</\(condition)>"
            self.init(at: moment, times: times, xml: "<stream:error>\(error)</stream:error></stream:stream>")
        }
    }
}
