import XMPPCore

// What may go wrong with SASL.
extension SessionError {
    package static func mechanismsUnsuitable(offered: [String]) -> SessionError {
        SessionError(
            .mechanismsUnsuitable,
            .park,
            "the server offers no login that is safe: need SCRAM-SHA-512, SCRAM-SHA-256 or SCRAM-SHA-1, offered "
                + shown(offered)
        )
    }

    static let plainNotAllowed = SessionError(
        .plainNotAllowed,
        .park,
        "the server offers no login that is safe: PLAIN shows it the password, and none of SCRAM-SHA-512, SCRAM-SHA-256 "
            + "and SCRAM-SHA-1 is offered"
    )

    /// - Parameters:
    ///   - condition: What the server said.
    ///   - isBound: Whether the login was bound to the channel: then it also fails where somebody stands in between.
    /// - Returns: The error.
    package static func authenticationFailed(_ condition: SASLCondition, isBound: Bool = false) -> SessionError {
        let explanation =
            isBound && condition == .notAuthorized
            ? "wrong user name or password, or somebody stands between here and the server" : condition.explanation
        return SessionError(
            .authenticationFailed,
            condition.retry,
            condition: condition.rawValue,
            "login refused (\(condition.rawValue)): \(explanation)"
        )
    }

    static func loginWeakened(offered: [String]) -> SessionError {
        SessionError(
            .loginWeakened,
            .park,
            "the server offers no safe login any more (\(shown(offered))), where one was used before: somebody may stand "
                + "in between; if the server was changed so, \(forget)"
        )
    }

    static func bindingLost(_ what: String) -> SessionError {
        SessionError(
            .bindingLost,
            .park,
            "channel binding was used before and is lost: \(what); somebody may stand in between; if the server was "
                + "changed so, \(forget)"
        )
    }

    private static let forget = "forget what is remembered of this account's logins"

    static func channelBindingUnusable(_ what: String) -> SessionError {
        SessionError(
            .channelBindingUnusable,
            .park,
            "no login with channel binding: \(what); somebody may stand in between, or the server or the account is set "
                + "up wrongly"
        )
    }

    static func bindingOfferUnusable(_ what: String) -> SessionError {
        SessionError(
            .bindingOfferUnusable,
            .park,
            "no login with channel binding: \(what); somebody may stand in between, or the server is set up wrongly"
        )
    }

    static func downgradeDetected(_ what: String) -> SessionError {
        SessionError(
            .downgradeDetected,
            .park,
            "\(what): somebody may stand in between; no password was proved"
        )
    }

    static let tasksRequired = SessionError(
        .tasksRequired,
        .park,
        "the server wants more than a password (XEP-0388 tasks, such as a second factor), which cannot be given here"
    )

    package static let serverNotAuthenticated = SessionError(
        .serverNotAuthenticated,
        .park,
        "the server did not prove that it knows the password: it may not be the right server"
    )

    /// As that, where the login was by a token (XEP-0484).
    package static let tokenNotProved = SessionError(
        .serverNotAuthenticated,
        .park,
        "the server let us in by a token and did not prove that it knows it: it may not be the right server; the token is "
            + "forgotten"
    )

    /// - Parameters:
    ///   - asked: What the server asks for; shown where it is a number.
    ///   - bounds: What is taken.
    /// - Returns: The error.
    static func iterationsOutOfBounds(_ asked: String, _ bounds: ClosedRange<Int>) -> SessionError {
        let isNumber = (1...20).contains(asked.utf8.count) && asked.utf8.allSatisfy { (0x30...0x39).contains($0) }
        let (least, most) = (bounds.lowerBound, bounds.upperBound)
        let reason: String
        if let number = isNumber ? Int(asked) : nil, number < least {
            reason = "so few protect the password badly, and somebody who stands in between would ask for them"
        } else {
            reason = isNumber ? "so many would keep this machine busy" : "that is no number"
        }
        return SessionError(
            .iterationsOutOfBounds,
            .park,
            "the server asks for \(isNumber ? asked : "an unreadable number of") SCRAM iterations, and \(least) to "
                + "\(most) are taken: \(reason); if it is meant so, change the account's bounds"
        )
    }

    static func malformedChallenge(_ what: String) -> SessionError {
        SessionError(.malformedChallenge, .retry, "the server's SCRAM message is malformed: \(what)")
    }

    static let passwordUnusable = SessionError(
        .passwordUnusable,
        .park,
        "the password is empty, not UTF-8, or holds a character that SASLprep (RFC 4013) forbids"
    )
}

/// The names that are names, for messages.
func shown(_ offered: [String]) -> String {
    let names = offered.filter(isMechanismName).prefix(16).joined(separator: ", ")
    return names.isEmpty ? "none" : names
}

/// RFC 4422 section 3.1: up to 20 capital letters, digits, hyphens and underscores.
func isMechanismName(_ name: String) -> Bool {
    (1...20).contains(name.utf8.count)
        && name.utf8.allSatisfy { byte in
            (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
        }
}
