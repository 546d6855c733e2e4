import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTransport

/// What `doorward check --connect` tells of one login: each step as it happens, and at the end what it means.
struct ConnectReport {
    /// A step in words.
    struct Step: Hashable {
        /// A stable word for scripts.
        let kind: String
        let text: String
    }

    private(set) var steps: [Step] = []
    private var tls: TLSSummary?
    private var mechanisms: [String] = []
    private var session: EstablishedSession?
    private var offersSASL2 = false
    private var inline: [String] = []
    /// In how many days the account's own certificate ends; nil where it has none.
    var certificateDays: Int64?
    /// An address answered, so that what failed behind it is no matter of where the server is.
    private var hasReached = false
    private var isDirectTLS = false
    private var metPlaintext = false
    private(set) var hasHeardServer = false
    private(set) var isConfiguredHost = false
    /// Only services whose TLS begins with the connection are looked for, and DNS has named none.
    private var lacksDirectTLS = false
    /// Seconds since 1970.
    private let now: Int64

    init(now: Int64 = wallClock().milliseconds / 1000) {
        self.now = now
    }

    /// Something happened.
    ///
    /// - Returns: The steps that it adds.
    mutating func observed(_ event: ConnectionObservation) -> [Step] {
        var added = [Step(kind: event.kind.name, text: event.description)]
        switch event.detail {
        case .connecting(.host): isConfiguredHost = true
        case .connecting(.services(_, isDirectTLS: true)): lacksDirectTLS = true
        case .step(.found): lacksDirectTLS = false
        case .step(.reached(_, let isDirectTLS)): (hasReached, self.isDirectTLS) = (true, isDirectTLS)
        case .step(.failed(_, let error)): metPlaintext = error.code == .plaintextAfterStartTLS
        case .secured(let summary):
            tls = summary
            added += certificate.map { [Step(kind: "certificate", text: $0)] } ?? []
        case .negotiated(.offered(let isSecured, let sasl2, let mechanisms, _, let inline)):
            hasHeardServer = true
            // What is offered before TLS, anybody on the way may have written.
            if isSecured {
                self.mechanisms = mechanisms
                offersSASL2 = offersSASL2 || sasl2
                self.inline += inline
            }
        case .established(let session):
            self.session = session
            added += abilities(of: session).map { Step(kind: "feature", text: $0) }
        case .ended:
            // Said once, with what to do about it.
            return []
        case .connecting, .step, .negotiated, .resumed, .managed, .unmanaged, .asked, .acknowledgementIgnored,
            .discarded, .senderInvalid, .redirected, .passedOver, .memoryNotKept:
            break
        }
        steps += added
        return added
    }

    /// Whether the login came through.
    var isDone: Bool { session != nil }

    // MARK: The server's certificate

    private var daysLeft: Int64? { tls?.certificateEnd.map { ($0 - now) / 86_400 } }

    private var certificate: String? {
        guard let end = tls?.certificateEnd, let daysLeft else { return nil }
        let day = Timestamp(milliseconds: end * 1000).description.prefix(10)
        return "the certificate ends on \(day), in \(counted(daysLeft))" + (pin.map { "; its key is \($0)" } ?? "")
    }

    /// As `connect: pins` has it.
    private var pin: String? { tls?.keyDigest.map { "sha256/" + Base64.encode($0) } }

    private func counted(_ days: Int64) -> String { days == 1 ? "1 day" : "\(max(days, 0)) days" }

    // MARK: What the server can do

    private func abilities(of session: EstablishedSession) -> [String] {
        let hasInline = { (namespace: String) in inline.contains { $0.utf8.elementsEqual(namespace.utf8) } }
        let hasAcks = session.features.first("sm", "urn:xmpp:sm:3") != nil || hasInline("urn:xmpp:sm:3")
        let hasTokens = hasInline("urn:xmpp:fast:0")
        let hasBind2 = hasInline("urn:xmpp:bind:0")
        let isIdleAware = session.features.first("csi", "urn:xmpp:csi:0") != nil || hasInline("urn:xmpp:csi:0")
        return [
            hasAcks
                ? "stream management (XEP-0198): a broken link and a restart go unnoticed"
                : "no stream management (XEP-0198): each broken link is a new login",
            offersSASL2 ? "SASL2 (XEP-0388): the login takes fewer round trips" : nil,
            hasBind2 ? "Bind 2 (XEP-0386)" : nil,
            hasTokens ? "tokens (FAST, XEP-0484): later logins take one round trip" : nil,
            isIdleAware ? "client state indication (XEP-0352)" : nil,
            session.keepsPreApprovals ? "pre-approvals (RFC 6121 section 3.4)" : nil,
        ].compactMap { $0 }
    }

    // MARK: What is weak

    /// What the login did without, and what to do about it; each one line.
    var advice: [String] {
        guard let session else { return [] }
        var advice: [String] = []
        let mechanism = session.login.mechanism
        if session.login.channelBinding == nil, !mechanism.utf8.elementsEqual("EXTERNAL".utf8) {
            let tls13 = tls?.versionNumber == 0x0304
            advice.append(
                "the login was not bound to its TLS connection, so a false server with a valid certificate would go "
                    + "unnoticed: the server should offer SCRAM with -PLUS\(tls13 ? " and tls-exporter" : "") and announce "
                    + "its channel bindings (XEP-0440); a pin (connect: pins) helps until then")
        }
        if mechanisms.contains(where: { $0.utf8.elementsEqual("PLAIN".utf8) }) {
            advice.append("the server offers PLAIN too: doorward does not use it, other clients of the account may")
        }
        if let days = certificateDays, days < 30 {
            advice.append("the account's own certificate ends in \(counted(days)): renew it (login: certificate)")
        }
        if let daysLeft, daysLeft < 14 {
            advice.append(
                "the server's certificate ends in \(counted(daysLeft)), and behind that there is no login: its operator "
                    + "should renew it")
        }
        if let tls, tls.versionNumber == 0x0303 {
            advice.append("the server speaks TLS 1.2 at most: TLS 1.3 is safer, and faster to resume")
        }
        return advice
    }

    /// What to do where it failed; nil where the error says it all.
    func remedy(for end: SessionEnd) -> String? {
        switch end.cause {
        case .unreachable where hasReached && isDirectTLS:
            metPlaintext ? "if the port is one for STARTTLS, use connect: { tls: starttls }" : nil
        case .unreachable where hasReached && hasHeardServer: nil
        case .unreachable where hasReached, .lost where hasReached && !isDirectTLS && !hasHeardServer:
            "if the port is one for TLS from the first byte, use connect: { tls: direct }"
        case .unreachable where lacksDirectTLS:
            "name the server, connect: { host: …, tls: direct }, or leave tls out to take what DNS has"
        case .unreachable where isConfiguredHost: "check host and port of connect, and that the server runs"
        case .unreachable:
            "see the steps above for the address that should have worked, or name it: connect: { host: … }"
        case .notOffered:
            "check the address; where the domain does have a server, its DNS is wrong, or name it: connect: { host: … }"
        case .lost, .abandoned: "try again; if it stays so, the server's log says why"
        case .unusable: "mend the file that it names"
        case .session(let error): remedy(for: error)
        case .stopped: nil
        }
    }

    // MARK: Data

    func json(account: String, error: String?) -> JSONValue {
        let rows = steps.map { JSONValue.object(["step": .string($0.kind), "text": .string($0.text)]) }
        let ends = tls?.certificateEnd.map { Timestamp(milliseconds: $0 * 1000).description }
        return .object([
            "account": .text(account), "done": .bool(isDone), "error": .text(error), "steps": .array(rows),
            "advice": .strings(advice),
            "certificate": ends.map { .object(["ends": .string($0), "pin": .text(pin)]) } ?? .null,
        ])
    }
}
