import XMPPCore

/// Why a value of a policy cannot be compared with anything.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        let name: String

        /// The value is empty.
        package static let empty = Code(name: "empty")
        /// A `/regular expression/`, which is not built yet.
        package static let regularExpression = Code(name: "regular expression")
        /// The value has a resource; addresses are compared without one.
        package static let resource = Code(name: "resource")
        /// The value is no address.
        package static let notAnAddress = Code(name: "not an address")
        /// The value is no host name.
        package static let notADomain = Code(name: "not a domain")
        /// The value is nothing that can stand before an `@`.
        package static let notALocalPart = Code(name: "not a local part")
    }

    package let code: Code
    /// In words, with what to write instead where that is known; without the value itself.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ code: Code, _ error: JIDError) {
        self.init(code, "\(error)")
    }

    static let empty = PatternError(.empty, "an empty value matches nothing")
    static let regularExpression = PatternError(
        .regularExpression,
        "a /regular expression/ is not built yet; use exact values and '*'"
    )
}
