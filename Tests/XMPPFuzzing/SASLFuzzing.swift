import XMPPCore
import XMPPCrypto
import XMPPSession

/// The first byte says whether the rest is a SCRAM exchange or a whole login; a NUL is the end of a read.
func fuzzSASL(_ input: [UInt8]) -> String? {
    guard let mode = input.first else { return nil }
    let reads = input.dropFirst().split(separator: 0, maxSplits: 24, omittingEmptySubsequences: false).map { Array($0) }
    return mode & 1 == 0 ? exchange(reads, mode) : login(reads)
}

/// Nobody knows these: a server that is accepted with them has proved nothing.
private let keys = SCRAMKeys(
    clientKey: Secret([UInt8](repeating: 0x11, count: 20)), serverKey: Secret([UInt8](repeating: 0x22, count: 20)))

private func exchange(_ reads: [[UInt8]], _ mode: UInt8) -> String? {
    let mechanisms = SCRAM.Mechanism.allCases
    let mechanism = mechanisms[Int(mode >> 1) % mechanisms.count]
    guard var scram = try? SCRAM(mechanism, username: "a,b=c", password: Secret("pw"), nonce: "abcdefghij") else {
        return "no exchange"
    }
    _ = scram.clientFirst()
    for read in reads.dropLast() {
        guard let step = try? scram.received(challenge: read) else { return nil }
        switch step {
        case .derive(let derivation):
            if !(4096...100_000).contains(derivation.iterations) { return "\(derivation.iterations) iterations" }
            if derivation.salt.isEmpty { return "no salt" }
            guard let final = scram.derived(keys), final.starts(with: "c=".utf8) else { return "no last message" }
        case .respond: return "a server without the keys has proved itself"
        }
    }
    if let success = reads.last, (try? scram.succeeded(with: success)) != nil {
        return "a server without the keys has proved itself"
    }
    return nil
}

/// What the account and its TLS have, by the second byte.
private struct LoginFlags: OptionSet {
    let rawValue: UInt8
    static let token = LoginFlags(rawValue: 1)
    static let resumption = LoginFlags(rawValue: 2)
    static let userAgent = LoginFlags(rawValue: 4)
    /// The server need prove nothing then: the login can succeed.
    static let certificate = LoginFlags(rawValue: 8)
    static let directTLS = LoginFlags(rawValue: 16)
    static let bindings = LoginFlags(rawValue: 32)
    static let olderTLS = LoginFlags(rawValue: 64)
    static let requiresBinding = LoginFlags(rawValue: 128)

    func negotiation(of account: BareJID) -> StreamNegotiation {
        var configuration = StreamNegotiation.Configuration(
            account: account, password: Secret("pw"), resource: "r", nonce: [UInt8](repeating: 7, count: 18))
        if contains(.token) {
            configuration.token = FASTToken(
                mechanism: "HT-SHA-256-NONE", token: Secret([UInt8](repeating: 0x33, count: 32)), expiry: "")
        }
        if contains(.resumption) { configuration.resumption = ResumptionRequest(id: "sm1", inbound: .max) }
        if contains(.userAgent) { configuration.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770") }
        configuration.requiresChannelBinding = contains(.requiresBinding)
        return StreamNegotiation(configuration)
    }

    var security: ChannelSecurity {
        var security = ChannelSecurity(
            tlsVersion: contains(.olderTLS) ? 0x0303 : 0x0304, showedCertificate: contains(.certificate))
        guard contains(.bindings) else { return security }
        security.bindings[.serverEndPoint] = [1]
        security.bindings[contains(.olderTLS) ? .unique : .exporter] = [2]
        return security
    }
}

private func login(_ reads: [[UInt8]]) -> String? {
    guard let account = try? BareJID("alice@gate.test") else { return "no account" }
    let flags = LoginFlags(rawValue: reads.first?.first ?? 0)
    var negotiation = flags.negotiation(of: account)
    let parser = XMLStreamParser(limits: .beforeLogin)
    var isSecured = flags.contains(.directTLS)
    var actions = isSecured ? negotiation.securedDirectly(flags.security) : negotiation.connected()
    for (index, read) in ([[]] + reads).enumerated() {
        for event in parser.feed(Array(index == 1 ? read.dropFirst() : read[...])) {
            actions += negotiation.received(event)
        }
        // Performing one action can bring more.
        while !actions.isEmpty {
            let action = actions.removeFirst()
            switch action {
            case .send(let bytes):
                if !isSecured, contains(bytes, "<auth") { return "a login without TLS" }
            case .startTLS:
                if isSecured { return "TLS twice" }
                if parser.unconsumedBytes > 0 { return nil }
                parser.reset()
                isSecured = true
                actions = negotiation.secured(flags.security) + actions
            case .resetParser: parser.reset()
            case .derive: actions += negotiation.derived(keys)
            case .raiseLimits, .resumed:
                if !flags.contains(.certificate) { return "logged in without a proof" }
                parser.limits = .normal
            case .established(let session):
                if !flags.contains(.certificate) { return "logged in without a proof" }
                return session.jid.bare.domainName == account.domainName ? nil : "an account of another server"
            case .forgetToken, .observed: break
            // The connection ends; what was read behind it is not looked at.
            case .fail: return nil
            }
        }
    }
    return nil
}

private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return false }
    return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
}
