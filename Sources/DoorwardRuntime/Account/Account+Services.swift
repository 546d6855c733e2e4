import DoorwardConfig
import XMPPClient
import XMPPCore
import XMPPModules

/// What an account tells others of itself.
extension Account {
    /// Stands for this program in the capabilities of its accounts (XEP-0115 section 4); nobody resolves it.
    ///
    /// Neither it nor the name has anything of the account, so that the whole fleet has one hash in the caches of others.
    private static let capabilityNode = "urn:doorward"

    /// Service discovery, capabilities, and what the configuration lets contacts ask.
    func services() -> [any SessionModule] {
        let isKnown: (BareJID?) -> Bool = { [unowned self] sender in mayKnow(sender) }
        let identity = DiscoInfo.Identity("client", "bot", name: "Doorward")
        let disco = DiscoModule(identities: [identity], mayKnow: isKnown)
        let answers = AnswersModule(
            { [unowned self] in Set(configuration.answers.map { AnswerKind($0) }) }, name: "Doorward",
            version: environment.version, mayKnow: isKnown)
        return [disco, CapsModule(node: Self.capabilityNode, disco: disco), answers]
    }

    /// After a reload: what is announced may be another.
    func refreshServices() {
        for case let caps as CapsModule in session?.modules ?? [] { caps.refresh() }
    }
}

extension AnswerKind {
    fileprivate init(_ answer: AccountConfiguration.Answer) {
        self =
            switch answer {
            case .time: .time
            case .version: .version
            case .last: .last
            }
    }
}
