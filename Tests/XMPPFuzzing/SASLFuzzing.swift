import XMPPCore
import XMPPCrypto
import XMPPSession

/// The first byte says whether the rest is a SCRAM exchange or a whole login; a NUL is the end of one read.
func fuzzSASL(_ input: [UInt8]) -> String? {
    guard let mode = input.first else { return nil }
    let reads = input.dropFirst().split(separator: 0, maxSplits: 24, omittingEmptySubsequences: false).map { Array($0) }
    return mode & 1 == 0 ? exchange(reads, mode) : login(reads, mode)
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

private func login(_ reads: [[UInt8]], _ mode: UInt8) -> String? {
    guard let account = try? BareJID("alice@gate.test") else { return "no account" }
    var negotiation = StreamNegotiation(
        .init(account: account, password: Secret("pw"), resource: "r", nonce: [UInt8](repeating: 7, count: 18)))
    let parser = XMLStreamParser(limits: .beforeLogin)
    var isSecured = false
    var hasFailed = false
    var actions = negotiation.connected()
    var pending = reads[...]
    while true {
        // Performing one action can bring more.
        while !actions.isEmpty {
            let action = actions.removeFirst()
            if hasFailed { return "something behind a failure: \(action)" }
            switch action {
            case .send(let bytes):
                if !isSecured, contains(bytes, "<auth") { return "a login without TLS" }
            case .startTLS:
                if isSecured { return "TLS twice" }
                if parser.unconsumedBytes > 0 { return nil }
                parser.reset()
                isSecured = true
                actions = negotiation.secured() + actions
            case .resetParser: parser.reset()
            case .derive: actions += negotiation.derived(keys)
            case .raiseLimits, .established, .resumed: return "logged in without a proof"
            case .forgetToken, .observed: break
            case .fail: hasFailed = true
            }
        }
        guard let read = pending.popFirst(), !hasFailed else { return nil }
        for event in parser.feed(read) { actions += negotiation.received(event) }
        if hasFailed { return nil }
        // A failure ends the connection: what was read behind it is not looked at.
        if let end = actions.firstIndex(where: { if case .fail = $0 { true } else { false } }) {
            actions = Array(actions[...end])
        }
    }
}

private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return false }
    return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
}
