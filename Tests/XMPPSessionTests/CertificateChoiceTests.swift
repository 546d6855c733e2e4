import Testing
import XMPPCore
import XMPPSession

/// An account that has a certificate and no password: EXTERNAL is its only login.
@Suite("A certificate alone")
struct CertificateChoiceTests {
    private static let offers = [["SCRAM-SHA-1"], ["SCRAM-SHA-256-PLUS"], ["PLAIN"], ["X-OAUTH2"], []]

    private static func security(shown: Bool) -> ChannelSecurity {
        ChannelSecurity(tlsVersion: 0x0304, bindings: [.exporter: [1]], showedCertificate: shown)
    }

    private func error(
        _ offered: [String], shown: Bool, required: Bool = false, plain: Bool = false,
        memory: LoginMemory = LoginMemory(), hasPassword: Bool = false
    ) -> SessionError.Code? {
        let rules = MechanismRules(
            allowsPlain: plain, requiresChannelBinding: required, memory: memory, hasPassword: hasPassword,
            hasCertificate: true)
        do throws(SessionError) {
            _ = try MechanismChoice.candidates(
                SASLOffer(usesSASL2: false, mechanisms: offered, bindings: nil), Self.security(shown: shown), rules)
            return nil
        } catch {
            #expect(error.retry == .park)
            return error.code
        }
    }

    @Test("that TLS did not ask for is told from one that has no login, whatever else is offered", arguments: offers)
    func neither(offered: [String]) {
        for plain in [false, true] {
            #expect(error(offered, shown: false, plain: plain) == .certificateNotAskedFor)
            #expect(error(offered + ["EXTERNAL"], shown: false, plain: plain) == .certificateNotAskedFor)
            #expect(error(offered, shown: true, plain: plain) == .externalNotOffered)
            #expect(error(offered + ["EXTERNAL"], shown: true, plain: plain) == nil)
        }
    }

    @Test("cannot log in where a binding is required, whatever the server does", arguments: offers)
    func required(offered: [String]) {
        for shown in [false, true] {
            #expect(error(offered, shown: shown, required: true) == .externalNotBound)
            #expect(error(offered + ["EXTERNAL"], shown: shown, required: true) == .externalNotBound)
        }
    }

    @Test("is no way around what logins were before")
    func remembered() {
        let bound = LoginMemory(usedStrongMechanism: true, usedAnnouncedBinding: true)
        #expect(error(["EXTERNAL", "SCRAM-SHA-1-PLUS"], shown: true, memory: bound) == .externalAfterBinding)
        #expect(error(["EXTERNAL"], shown: true, memory: bound) == .loginWeakened)
        let strong = LoginMemory(usedStrongMechanism: true)
        #expect(error(["PLAIN"], shown: true, plain: true, memory: strong) == .loginWeakened)
        #expect(error(["SCRAM-SHA-1"], shown: true, memory: strong) == .externalNotOffered)
        #expect(error(["EXTERNAL"], shown: true, memory: strong) == nil)
    }

    @Test("with a password beside it is not missed where the password does, and is not blamed where it does not")
    func both() {
        #expect(error(["SCRAM-SHA-1"], shown: false, hasPassword: true) == nil)
        #expect(error(["SCRAM-SHA-1"], shown: true, required: true, hasPassword: true) == .channelBindingUnusable)
        #expect(error(["X-OAUTH2"], shown: false, hasPassword: true) == .mechanismsUnsuitable)
    }

    @Test(
        "that is refused is what the error speaks of, where it is about the certificate",
        arguments: [
            ("not-authorized", SessionError.Code.externalRefused), ("credentials-expired", .externalRefused),
            ("account-disabled", .authenticationFailed), ("temporary-auth-failure", .authenticationFailed),
        ])
    func refused(condition: String, code: SessionError.Code) throws {
        var login = try Login(password: "") { $0.hasCertificate = true }
        login.secure(Self.security(shown: true))
        _ = login.server(mechanisms("EXTERNAL", "SCRAM-SHA-1"))
        let end = login.server("<failure \(sasl)><\(condition)/></failure>")
        #expect(end.error?.code == code && end.error?.condition == condition)
        #expect(end.error?.description.contains("password") == (condition == "temporary-auth-failure"))
        #expect(end.error?.concernsServer == (condition == "temporary-auth-failure"))
    }

    @Test("in the session: each of the three has an error of its own")
    func session() throws {
        for (shown, required, code) in [
            (false, false, SessionError.Code.certificateNotAskedFor), (true, false, .externalNotOffered),
            (true, true, .externalNotBound),
        ] {
            var login = try Login(password: "") {
                $0.hasCertificate = true
                $0.requiresChannelBinding = required
            }
            login.secure(Self.security(shown: shown))
            let end = login.server(mechanisms("SCRAM-SHA-1"))
            #expect(end.error?.code == code)
            #expect(end.error?.description.contains("password") == false)
        }
        // Without either, it is the password that is missing.
        var login = try Login(password: "")
        login.secure()
        #expect(login.server(mechanisms("SCRAM-SHA-1")).error?.code == .passwordUnusable)
    }
}
