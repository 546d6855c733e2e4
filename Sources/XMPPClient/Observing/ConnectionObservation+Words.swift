import XMPPSession
import XMPPTransport

/// What a peer wrote, in printable ASCII and not at length.
func shown(_ text: String) -> String {
    String(decoding: text.utf8.prefix(128).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
}

extension ServerAddress {
    var words: String {
        switch self {
        case .host(let host, let port, let isDirectTLS): "\(shown(host)) port \(port)\(isDirectTLS ? " by TLS" : "")"
        case .domain(let domain): "the servers of \(shown(domain))"
        case .services(let domain, let isDirectTLS):
            "the servers of \(shown(domain)) by \(isDirectTLS ? "direct TLS" : "STARTTLS") only"
        }
    }
}

extension ConnectStep {
    var words: String {
        switch self {
        case .found(let targets):
            targets.isEmpty
                ? "the domain has no SRV records: its own address is used"
                : "DNS names "
                    + targets.map { "\(shown($0.host)):\($0.port)\($0.isDirectTLS ? " (TLS)" : "")" }
                    .joined(separator: ", ")
        case .resolved(let host, let addresses): "\(shown(host)) is \(addresses.map(shown).joined(separator: ", "))"
        case .unresolved(let name, let error): "\(shown(name)) could not be looked up: \(error)"
        case .trying(let address): "trying \(shown(address))"
        case .failed(let address, let error): "\(shown(address)) failed: \(error)"
        case .reached(let address, let isDirectTLS): "reached \(shown(address))\(isDirectTLS ? ", TLS at once" : "")"
        }
    }
}

extension NegotiationStep {
    var words: String {
        switch self {
        case .offered(let isSecured, let sasl2, let mechanisms, let bindings, let inline):
            "offered \(isSecured ? "within" : "before") TLS\(sasl2 ? " (SASL2)" : ""): "
                + (mechanisms.isEmpty ? "no login" : mechanisms.map(shown).joined(separator: ", "))
                + (bindings.map { "; channel bindings \($0.map(shown).joined(separator: ", "))" } ?? "")
                + (inline.isEmpty ? "" : "; with the login \(inline.map(shown).joined(separator: ", "))")
        case .chose(let mechanism, let binding, let sasl2):
            "login by \(mechanism)\(sasl2 ? " (SASL2)" : "")" + (binding.map { ", bound to TLS by \($0)" } ?? "")
        case .authenticated(let mechanism, _, _): "logged in by \(mechanism)"
        }
    }
}
