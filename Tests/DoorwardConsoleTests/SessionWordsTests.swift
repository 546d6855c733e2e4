import Testing
import XMPPCore

@testable import DoorwardConsole
@testable import XMPPClient
@testable import XMPPSession

/// What is said of each way in which a session fails, and what to do about it: the two must go together.
@Suite("A failed session in words")
struct SessionWordsTests {
    /// An error, how the advice of `check --connect` begins (nil: the error says all) and that of the library.
    struct Row: Sendable, CustomTestStringConvertible {
        var error: SessionError
        var check: String?
        var library: String

        var testDescription: String { error.description }
    }

    private static func row(_ error: SessionError, _ check: String?, _ library: String) -> Row {
        Row(error: error, check: check, library: library)
    }

    private static let pause = "try again after a pause"
    private static let otherResource = "try again after a pause with another resource"
    private static let operators = "ask the server's operator what it offers"

    private static let logins: [Row] = [
        row(.mechanismsUnsuitable(offered: ["X-OAUTH2"]), "let the server offer SCRAM", "let the server offer SCRAM"),
        row(.plainNotAllowed, "let the server offer SCRAM; the check never", "let the server offer SCRAM, or allow"),
        row(.certificateNotAskedFor, "let the server ask clients", "let the server ask clients"),
        row(.externalNotOffered(offered: []), "check that the certificate", "check that the certificate"),
        row(.externalNotBound, "give the account a password too", "give the client a password too"),
        row(.externalAfterBinding, "the service makes no such login either", "give the client a password too"),
        row(.externalFailed(.notAuthorized), "check that the certificate", "check that the certificate"),
        row(.externalFailed(.credentialsExpired), "check that the certificate", "check that the certificate"),
        row(.externalFailed(.temporaryAuthFailure), "try again", pause),
        row(.authenticationFailed(.notAuthorized), "check the password", "correct it first"),
        row(.authenticationFailed(.notAuthorized, isBound: true), "check the password", "correct it first"),
        row(.authenticationFailed(.accountDisabled), "let the server's operator enable it", "correct it first"),
        row(.authenticationFailed(.credentialsExpired), "set a new one", "correct it first"),
        row(.authenticationFailed(.invalidAuthzid), "the server's log says why", "correct it first"),
        row(.authenticationFailed(.invalidMechanism), "let the server's operator offer", "correct it first"),
        row(.authenticationFailed(.mechanismTooWeak), "let the server's operator offer", "correct it first"),
        row(.authenticationFailed(.encryptionRequired), "let the server's operator offer", "correct it first"),
        row(.authenticationFailed(.temporaryAuthFailure), "try again", pause),
        row(.authenticationFailed(.aborted), "try again", pause),
        row(.authenticationFailed(.incorrectEncoding), "try again", pause),
        row(.authenticationFailed(.malformedRequest), "try again", pause),
        row(.loginWeakened(offered: ["PLAIN"]), "the service makes no such login either", "if the server was changed"),
        row(.bindingLost("gone"), "the service makes no such login either", "if the server was changed"),
        row(.channelBindingUnusable("none"), "let the server offer -PLUS", "do not require channel binding"),
        row(.bindingOfferUnusable("odd"), "let the server announce", "let the server announce"),
        row(.downgradeDetected("the server offered others"), operators, operators),
        row(.tasksRequired, "let the server's operator switch", "let the server's operator switch"),
        row(.serverNotAuthenticated, operators, operators),
        row(.tokenNotProved, operators, operators),
        row(.iterationsOutOfBounds("1", 4096...8192), "the bounds are those of login", "change the bounds"),
        row(.malformedChallenge("no salt"), "try again", pause),
        row(.passwordUnusable, "put another password", "give another password"),
    ]

    private static let others: [Row] = [
        row(.tlsNotOffered, "let the server offer STARTTLS", pause),
        row(.tlsRefused, "let the server offer STARTTLS", pause),
        row(.plaintextAfterStartTLS, operators, pause),
        row(.bindFailed(StanzaError(.conflict)), "try again", otherResource),
        row(.bindFailed(StanzaError(.resourceConstraint)), "try again", pause),
        row(.bindFailed(StanzaError(.notAllowed)), "the server's log says why", "ask the server's operator why"),
        row(.malformedStream(StreamError(.notWellFormed)), "what answers there may be no XMPP server", pause),
        row(.closedByServer, "try again", pause),
        row(.unexpected("no features"), "what answers there may be no XMPP server", pause),
        row(.misconfigured("the address has no part before the @"), "mend the account's", "correct the options"),
    ]

    private static let streams: [Row] = StreamErrorAdvice.table.sorted { $0.key.name < $1.key.name }.flatMap {
        condition, advice in
        let (check, library): (String?, String) =
            switch advice.retry {
            case .retry: ("try again", pause)
            case .retryWithNewResource: ("try again", otherResource)
            case .park where advice.remedy.isEmpty: ("the server's log says", "trying again does not help")
            case .park: (nil, "mend what it names first")
            }
        // Before TLS it may have been anybody: then it is tried again, whatever it is.
        let isOurs = advice.retry == .park && !advice.remedy.isEmpty
        return [
            row(.streamError(StreamError(condition)), check, library),
            row(
                .streamError(StreamError(condition), isSecured: false), isOurs ? nil : "try again",
                isOurs ? "try again after a pause, and do that where it does not help" : pause),
        ]
    }

    private static let all = logins + others + streams

    @Test("has its word on what to do", arguments: all)
    func words(row: Row) throws {
        let check = ConnectReport().remedy(for: row.error)
        #expect((check == nil) == (row.check == nil))
        #expect(check?.hasPrefix(row.check ?? "") ?? true, "\(check ?? "")")
        let library = try #require(ClientError(SessionEnd(.session(row.error))))
        #expect(library.advice.hasPrefix(row.library), "\(library.advice)")
        // Who has nothing to do but wait is not told to do something as well, and the other way round.
        let doings = ["check the", "check it", "mend ", "next login"]
        if check?.hasPrefix("try again") == true {
            #expect(!doings.contains { row.error.description.contains($0) }, "\(row.error): \(check ?? "")")
            #expect(row.error.retry != .park)
        }
        #expect(!row.error.description.contains("next login"))
    }

    @Test("no remedy is that of something else", arguments: all)
    func foreign(row: Row) {
        let check = ConnectReport().remedy(for: row.error) ?? ""
        let own: [(part: String, of: [SessionError.Code])] = [
            ("plain: allowed", [.plainNotAllowed]), ("password:", [.passwordUnusable, .authenticationFailed]),
            ("channel_binding: preferred", [.channelBindingUnusable, .externalNotBound]),
            ("trust-again", [.loginWeakened, .bindingLost, .externalAfterBinding]),
            ("iterations", [.iterationsOutOfBounds]), ("certificate: …", [.externalNotOffered, .externalRefused]),
            ("tls: direct", [.tlsNotOffered, .tlsRefused]),
        ]
        for (part, codes) in own where check.contains(part) { #expect(codes.contains(row.error.code), "\(check)") }
    }

    @Test("what answers as an XMPP server is not said to be none")
    func heard() {
        var report = ConnectReport()
        _ = report.observed(
            ConnectionObservation(
                .negotiated(.offered(isSecured: true, sasl2: false, mechanisms: [], bindings: nil, inline: [])),
                stage: .authenticating, address: nil))
        for error in [SessionError.unexpected("no answer to the login"), .malformedStream(StreamError(.invalidXML))] {
            #expect(report.remedy(for: error)?.hasPrefix("try again") == true)
        }
    }

    @Test("the table has every code")
    func whole() {
        #expect(Set(Self.all.map(\.error.code)) == Set(SessionError.Code.all))
    }
}
