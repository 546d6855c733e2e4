import Testing
import XMPPCore
import XMPPSession

/// One row: what is there, and what comes of it.
private struct Row: Sendable, CustomTestStringConvertible {
    var why: String
    var sasl2 = false
    var offered: [String]
    var types: [String]?
    var security: ChannelSecurity
    var rules = MechanismRules()
    /// The candidates in order, with how they are bound: `name:n`, `:y`, `:p=type` or `:p=type?` where not announced.
    var ways: [String] = []
    var error: SessionError.Code?

    init(
        _ why: String, sasl2: Bool = false, _ offered: [String], types: [String]? = nil, _ security: ChannelSecurity,
        _ ways: [String]
    ) {
        self.init(why, sasl2: sasl2, offered, types: types, security, MechanismRules(), ways)
    }

    init(
        _ why: String, sasl2: Bool = false, _ offered: [String], types: [String]? = nil, _ security: ChannelSecurity,
        _ rules: MechanismRules, _ ways: [String]
    ) {
        (self.why, self.sasl2, self.offered, self.types) = (why, sasl2, offered, types)
        (self.security, self.rules, self.ways) = (security, rules, ways)
    }

    init(
        _ why: String, sasl2: Bool = false, _ offered: [String], types: [String]? = nil, _ security: ChannelSecurity,
        _ rules: MechanismRules = MechanismRules(), fails error: SessionError.Code
    ) {
        (self.why, self.sasl2, self.offered, self.types) = (why, sasl2, offered, types)
        (self.security, self.rules, self.error) = (security, rules, error)
    }

    var testDescription: String { why }
}

private let tls13 = ChannelSecurity(tlsVersion: 0x0304, bindings: [.exporter: [1], .serverEndPoint: [2]])
private let tls12 = ChannelSecurity(
    tlsVersion: 0x0303, bindings: [.exporter: [1], .unique: [3], .serverEndPoint: [2]])
/// TLS 1.2 without the extended master secret: no exporter (RFC 9266 section 3).
private let old12 = ChannelSecurity(tlsVersion: 0x0303, bindings: [.unique: [3], .serverEndPoint: [2]])
private let bare = ChannelSecurity(tlsVersion: 0x0304)
private let shown = ChannelSecurity(
    tlsVersion: 0x0304, bindings: [.exporter: [1], .serverEndPoint: [2]], showedCertificate: true)
private let plain = MechanismRules(allowsPlain: true)
private let required = MechanismRules(requiresChannelBinding: true)
private let strong = MechanismRules(allowsPlain: true, memory: LoginMemory(usedStrongMechanism: true))
private let bound = MechanismRules(
    allowsPlain: true, memory: LoginMemory(usedStrongMechanism: true, usedAnnouncedBinding: true))
private let noPassword = MechanismRules(hasPassword: false)
private let exporter = ["tls-exporter"]
private let prosody12 = ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"]
private let prosody13 = ["PLAIN", "SCRAM-SHA-1"]
private let ejabberd = ["PLAIN", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-1", "X-OAUTH2"]
private let all = [
    "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-512", "SCRAM-SHA-512-PLUS",
]
private let allPlain = ["SCRAM-SHA-512:n", "SCRAM-SHA-256:n", "SCRAM-SHA-1:n"]
private let external = ["EXTERNAL:n", "EXTERNAL:n"]

private func plus(_ type: String) -> [String] {
    ["SCRAM-SHA-512-PLUS:p=\(type)", "SCRAM-SHA-256-PLUS:p=\(type)", "SCRAM-SHA-1-PLUS:p=\(type)"]
}

@Suite("Choice of the mechanism")
struct MechanismChoiceTests {
    private static let debian: [Row] = [
        Row("Prosody 0.12 on TLS 1.3", prosody13, tls13, ["SCRAM-SHA-1:y"]),
        Row("Prosody 0.12 on TLS 1.3, PLAIN allowed", prosody13, tls13, plain, ["SCRAM-SHA-1:y"]),
        Row("Prosody 0.12 on TLS 1.2", prosody12, tls12, ["SCRAM-SHA-1-PLUS:p=tls-unique?", "SCRAM-SHA-1:n"]),
        Row(
            "Prosody 0.12 on TLS 1.2 without EMS", prosody12, old12,
            ["SCRAM-SHA-1-PLUS:p=tls-unique?", "SCRAM-SHA-1:n"]),
        Row("ejabberd 23.01 on TLS 1.3 guesses nothing", ejabberd, tls13, ["SCRAM-SHA-1:n"]),
        Row("ejabberd 23.01 on TLS 1.2", ejabberd, tls12, ["SCRAM-SHA-1-PLUS:p=tls-unique?", "SCRAM-SHA-1:n"]),
        Row("ejabberd 23.01, binding required, TLS 1.3", ejabberd, tls13, required, fails: .channelBindingUnusable),
        Row("ejabberd 23.01, binding required, TLS 1.2", ejabberd, tls12, required, ["SCRAM-SHA-1-PLUS:p=tls-unique?"]),
        Row("Prosody 0.12, binding required, TLS 1.3", prosody13, tls13, required, fails: .channelBindingUnusable),
        Row("Prosody 0.12, binding required, TLS 1.2", prosody12, tls12, required, ["SCRAM-SHA-1-PLUS:p=tls-unique?"]),
        Row("ejabberd 23.01, SCRAM used before", ejabberd, tls13, strong, ["SCRAM-SHA-1:n"]),
        Row("Prosody with SASL2 on TLS 1.2", sasl2: true, prosody12, tls12, fails: .bindingOfferUnusable),
        Row("Prosody with SASL2 on TLS 1.3", sasl2: true, prosody13, tls13, ["SCRAM-SHA-1:y"]),
    ]

    private static let announced: [Row] = [false, true].flatMap { sasl2 in
        [
            Row("an announced exporter", sasl2: sasl2, all, types: exporter, tls13, plus("tls-exporter")),
            Row("an announced exporter on TLS 1.2", sasl2: sasl2, all, types: exporter, tls12, plus("tls-exporter")),
            Row(
                "the strongest of both", sasl2: sasl2, all, types: ["tls-server-end-point", "tls-exporter"], tls13,
                plus("tls-exporter")),
            Row(
                "tls-unique before the end point", sasl2: sasl2, all, types: ["tls-server-end-point", "tls-unique"],
                tls12,
                plus("tls-unique")),
            Row(
                "no tls-unique on TLS 1.3", sasl2: sasl2, all, types: ["tls-unique", "tls-server-end-point"],
                ChannelSecurity(tlsVersion: 0x0304, bindings: [.unique: [3], .serverEndPoint: [2]]),
                plus("tls-server-end-point")),
            Row(
                "only the end point", sasl2: sasl2, all, types: ["tls-server-end-point"], tls13,
                plus("tls-server-end-point")),
            Row(
                "an exporter that cannot be made", sasl2: sasl2, all, types: ["tls-exporter", "tls-server-end-point"],
                old12,
                plus("tls-server-end-point")),
            Row(
                "-PLUS of one hash before another hash without", sasl2: sasl2, ["SCRAM-SHA-512", "SCRAM-SHA-1-PLUS"],
                types: exporter, tls13, ["SCRAM-SHA-1-PLUS:p=tls-exporter"]),
            Row(
                "only -PLUS forms", sasl2: sasl2, ["SCRAM-SHA-1-PLUS"], types: exporter, tls13,
                ["SCRAM-SHA-1-PLUS:p=tls-exporter"]),
            Row("remembered", sasl2: sasl2, all, types: exporter, tls13, bound, plus("tls-exporter")),
            Row("required", sasl2: sasl2, all, types: exporter, tls13, required, plus("tls-exporter")),
            Row("types of which we have none", sasl2: sasl2, all, types: ["tls-new"], tls13, allPlain.map { $0 + "!" }),
            Row("types and nothing to make", sasl2: sasl2, all, types: exporter, bare, allPlain.map { $0 + "!" }),
            Row(
                "types of which we have none, remembered", sasl2: sasl2, all, types: ["tls-new"], tls13, bound,
                fails: .bindingLost),
            Row(
                "types of which we have none, required", sasl2: sasl2, all, types: ["tls-new"], tls13, required,
                fails: .channelBindingUnusable),
            Row(
                "only -PLUS and types of which we have none", sasl2: sasl2, ["SCRAM-SHA-1-PLUS"], types: ["tls-new"],
                tls13,
                fails: .bindingOfferUnusable),
            Row(
                "types without -PLUS", sasl2: sasl2, ["SCRAM-SHA-256"], types: exporter, tls13,
                fails: .bindingOfferUnusable),
            Row(
                "types without -PLUS, remembered", sasl2: sasl2, ["SCRAM-SHA-256"], types: exporter, tls13, bound,
                fails: .bindingLost),
            Row("neither types nor -PLUS", sasl2: sasl2, ["SCRAM-SHA-256"], tls13, ["SCRAM-SHA-256:y"]),
            Row("neither, and no binding here", sasl2: sasl2, ["SCRAM-SHA-256"], bare, ["SCRAM-SHA-256:n"]),
            Row("neither, remembered", sasl2: sasl2, ["SCRAM-SHA-256"], tls13, bound, fails: .bindingLost),
            Row("neither, required", sasl2: sasl2, ["SCRAM-SHA-256"], tls13, required, fails: .channelBindingUnusable),
            Row("-PLUS without types, remembered", sasl2: sasl2, all, tls13, bound, fails: .bindingLost),
            Row("-PLUS without types, remembered, TLS 1.2", sasl2: sasl2, all, tls12, bound, fails: .bindingLost),
        ]
    }

    private static let unannounced: [Row] = [
        Row("SASL2 with -PLUS and no types", sasl2: true, all, tls13, fails: .bindingOfferUnusable),
        Row("SASL2 with -PLUS and an empty list", sasl2: true, all, types: [], tls13, fails: .bindingOfferUnusable),
        Row(
            "SASL2 with -PLUS, no types and EXTERNAL", sasl2: true, all + ["EXTERNAL"], shown,
            fails: .bindingOfferUnusable),
        Row("an empty list is none", all, types: [], tls13, allPlain),
        Row("-PLUS and no types on TLS 1.3", all, tls13, allPlain),
        Row("-PLUS and no types on TLS 1.2", all, tls12, plus("tls-unique?") + allPlain),
        Row(
            "-PLUS and no types on TLS 1.2 without tls-unique", all,
            ChannelSecurity(tlsVersion: 0x0303, bindings: [.exporter: [1]]), allPlain),
        Row("-PLUS and no types on TLS nobody knows", all, ChannelSecurity(bindings: [.unique: [3]]), allPlain),
        Row("empty binding data is none", all, ChannelSecurity(tlsVersion: 0x0303, bindings: [.unique: []]), allPlain),
        Row("only -PLUS and no types on TLS 1.3", ["SCRAM-SHA-1-PLUS"], tls13, fails: .bindingOfferUnusable),
        Row(
            "only -PLUS and no types on TLS 1.3, PLAIN allowed", ["SCRAM-SHA-1-PLUS", "PLAIN"], tls13, plain,
            fails: .bindingOfferUnusable),
        Row("only -PLUS and no types on TLS 1.2", ["SCRAM-SHA-1-PLUS"], tls12, ["SCRAM-SHA-1-PLUS:p=tls-unique?"]),
    ]

    private static let others: [Row] = [
        Row("a hash that nobody has", ["SCRAM-SHA-3", "SCRAM-SHA-224"], tls13, fails: .mechanismsUnsuitable),
        Row("names are exact", ["scram-sha-1", " SCRAM-SHA-1", "SCRAM-SHA-1 "], tls13, fails: .mechanismsUnsuitable),
        Row("nothing offered", [], tls13, fails: .mechanismsUnsuitable),
        Row("nothing offered, SCRAM used before", [], tls13, strong, fails: .loginWeakened),
        Row("nothing offered, binding used before", [], tls13, bound, fails: .loginWeakened),
        Row("PLAIN not allowed", ["PLAIN"], tls13, fails: .plainNotAllowed),
        Row("PLAIN allowed", ["PLAIN"], tls13, plain, ["PLAIN:n"]),
        Row("PLAIN allowed, SASL2", sasl2: true, ["PLAIN"], tls13, plain, ["PLAIN:n"]),
        Row("PLAIN after SCRAM", ["PLAIN"], tls13, strong, fails: .loginWeakened),
        Row("PLAIN after SCRAM, SASL2", sasl2: true, ["PLAIN"], tls13, strong, fails: .loginWeakened),
        Row(
            "PLAIN and types after SCRAM, SASL2", sasl2: true, ["PLAIN"], types: exporter, tls13, strong,
            fails: .loginWeakened),
        Row(
            "PLAIN and types, SASL2", sasl2: true, ["PLAIN"], types: exporter, tls13, plain,
            fails: .bindingOfferUnusable),
        Row("PLAIN and types", ["PLAIN"], types: exporter, tls13, plain, ["PLAIN:n"]),
        Row("PLAIN after binding", ["PLAIN"], tls13, bound, fails: .loginWeakened),
        Row("unknown ones after SCRAM", ["X-OAUTH2", "OAUTHBEARER"], tls13, strong, fails: .loginWeakened),
        Row(
            "PLAIN and binding required", ["PLAIN"], tls13,
            MechanismRules(allowsPlain: true, requiresChannelBinding: true), fails: .channelBindingUnusable),
        Row("PLAIN never beside SCRAM", ["PLAIN", "SCRAM-SHA-1"], bare, plain, ["SCRAM-SHA-1:n"]),
        Row(
            "PLAIN without a password", ["PLAIN"], tls13, MechanismRules(allowsPlain: true, hasPassword: false),
            fails: .passwordUnusable),
        Row("no password", ["SCRAM-SHA-1"], tls13, noPassword, fails: .passwordUnusable),
        Row("EXTERNAL without a certificate", ["EXTERNAL"], tls13, fails: .mechanismsUnsuitable),
        Row("EXTERNAL without a certificate, used before", ["EXTERNAL"], tls13, strong, fails: .loginWeakened),
        Row("EXTERNAL without a password", ["EXTERNAL"], shown, noPassword, external),
        Row("EXTERNAL first", ["SCRAM-SHA-1", "EXTERNAL"], shown, external + ["SCRAM-SHA-1:y"]),
        Row("EXTERNAL first, SASL2", sasl2: true, ["SCRAM-SHA-1", "EXTERNAL"], shown, external + ["SCRAM-SHA-1:y"]),
        Row("EXTERNAL used before", ["EXTERNAL"], shown, strong, external),
        Row("a certificate and no EXTERNAL", ["SCRAM-SHA-1"], shown, ["SCRAM-SHA-1:y"]),
        Row(
            "EXTERNAL proves nothing of the server: binding required", ["EXTERNAL", "SCRAM-SHA-1"], shown, required,
            fails: .channelBindingUnusable),
        Row("EXTERNAL in place of a binding used before", ["EXTERNAL"], shown, bound, fails: .loginWeakened),
        Row(
            "EXTERNAL beside the binding used before", all + ["EXTERNAL"], types: exporter, shown, bound,
            plus("tls-exporter")),
        Row("EXTERNAL beside -PLUS", all + ["EXTERNAL"], types: exporter, shown, external + plus("tls-exporter")),
        Row(
            "EXTERNAL where the rest is not to be gone on with", ["EXTERNAL", "SCRAM-SHA-1"], types: exporter, shown,
            external),
        Row("EXTERNAL then PLAIN", ["EXTERNAL", "PLAIN"], shown, plain, external + ["PLAIN:n"]),
    ]

    @Test("each offer has its one answer (B050, security B7)", arguments: debian + announced + unannounced + others)
    fileprivate func choice(row: Row) {
        let offer = SASLOffer(usesSASL2: row.sasl2, mechanisms: row.offered, bindings: row.types)
        do throws(SessionError) {
            let candidates = try MechanismChoice.candidates(offer, row.security, row.rules)
            #expect(candidates.map(Self.words) == row.ways)
            #expect(row.error == nil)
        } catch {
            #expect(error.code == row.error)
            #expect(error.retry == .park)
        }
    }

    @Test("the table has enough rows")
    func size() {
        #expect(Self.debian.count + Self.announced.count + Self.unannounced.count + Self.others.count >= 90)
    }

    private static func words(_ choice: MechanismChoice) -> String {
        let flag =
            switch choice.binding {
            case .unsupported: "n"
            case .notOffered: "y"
            case .bound(let type, let isAnnounced): "p=\(type.rawValue)" + (isAnnounced ? "" : "?")
            }
        return choice.name + ":" + flag + (choice.needsOfferHash ? "!" : "")
    }

    @Test("what follows a failure depends on what failed, and nothing weaker follows an announced binding")
    func next() {
        let announced = MechanismChoice(.scram(.sha256), .bound(.exporter, isAnnounced: true))
        let guessed = MechanismChoice(.scram(.sha256), .bound(.unique, isAnnounced: false))
        let guessedOther = MechanismChoice(.scram(.sha1), .bound(.unique, isAnnounced: false))
        let unbound = MechanismChoice(.scram(.sha256))
        let unboundOther = MechanismChoice(.scram(.sha1))
        let rest = [guessedOther, unbound, unboundOther]
        #expect(announced.next(after: .notAuthorized, of: rest) == [])
        #expect(guessed.next(after: .notAuthorized, of: rest) == [unbound])
        #expect(guessed.next(after: .malformedRequest, of: rest) == [unbound])
        #expect(announced.next(after: .malformedRequest, of: rest) == [])
        #expect(guessed.next(after: .notAuthorized, of: [guessedOther]) == [])
        #expect(guessed.next(after: .mechanismTooWeak, of: rest) == rest)
        #expect(unbound.next(after: .notAuthorized, of: [unboundOther]) == [])
        #expect(unbound.next(after: .invalidMechanism, of: [unboundOther]) == [unboundOther])
        #expect(MechanismChoice(.plain).next(after: .notAuthorized, of: rest) == [])
        let nameless = MechanismChoice(.external(namesAddress: false))
        let named = MechanismChoice(.external(namesAddress: true))
        #expect(nameless.next(after: .invalidAuthzid, of: [named, unbound]) == [named, unbound])
        #expect(nameless.next(after: .notAuthorized, of: [named, unbound]) == [unbound])
        #expect(nameless.next(after: .invalidMechanism, of: [named, unbound]) == [unbound])
        #expect(named.next(after: .invalidAuthzid, of: [unbound]) == [unbound])
        for choice in [announced, guessed, unbound, nameless, named] {
            for condition in [SASLCondition.accountDisabled, .credentialsExpired, .temporaryAuthFailure, .aborted] {
                #expect(choice.next(after: condition, of: rest) == [])
            }
        }
    }
}
