import XMPPCore
package import XMPPCrypto

/// The client's side of one HT exchange (draft-schmaus-kitten-sasl-ht), the login by a token of XEP-0484.
package struct HashedToken: Sendable {
    /// A mechanism, such as `HT-SHA-256-EXPR`.
    package struct Mechanism: Sendable, Hashable {
        package let algorithm: HashAlgorithm
        /// Nil for the form without channel binding.
        package let binding: ChannelBindingType?

        package init(_ algorithm: HashAlgorithm, _ binding: ChannelBindingType?) {
            self.algorithm = algorithm
            self.binding = binding
        }

        /// Reads a name; nil where it is none that we have.
        package init?(_ name: String) {
            let found = Self.byPreference.first { $0.name.utf8.elementsEqual(name.utf8) }
            guard let found else { return nil }
            self = found
        }

        package var name: String {
            let hash =
                switch algorithm {
                case .sha1: "SHA-1"
                case .sha256: "SHA-256"
                case .sha512: "SHA-512"
                }
            let suffix =
                switch binding {
                case .exporter: "EXPR"
                case .unique: "UNIQ"
                case .serverEndPoint: "ENDP"
                case nil: "NONE"
                }
            return "HT-\(hash)-\(suffix)"
        }

        /// What binds the channel comes before what does not (XEP-0484 section 5), then the longer hash.
        static let byPreference: [Mechanism] =
            (ChannelBindingType.allCases.map(Optional.some) + [nil]).flatMap { binding in
                [HashAlgorithm.sha512, .sha256].map { Mechanism($0, binding) }
            }
    }

    private let algorithm: HashAlgorithm
    private let username: String
    private let token: Secret
    private let bindingData: [UInt8]

    package init(_ mechanism: Mechanism, username: String, token: Secret, bindingData: [UInt8]) {
        algorithm = mechanism.algorithm
        self.username = username
        self.token = token
        self.bindingData = bindingData
    }

    /// The only message.
    package func initiator() -> [UInt8] {
        Array(username.utf8) + [0] + hash("Initiator")
    }

    /// Takes what `<success/>` holds.
    ///
    /// - Throws: `tokenNotProved` unless the server has proved that it knows the token.
    package func succeeded(with data: [UInt8]?) throws(SessionError) {
        guard let data, constantTimeEquals(data, hash("Responder")) else { throw .tokenNotProved }
    }

    private func hash(_ role: String) -> [UInt8] {
        hmac(algorithm, key: token.bytes, message: Array(role.utf8) + bindingData)
    }
}
