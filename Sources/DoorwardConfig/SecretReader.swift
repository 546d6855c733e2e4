/// Why a secret could not be read.
package struct SecretError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        let name: String
        package static let missing = Code(name: "missing")
    }
    package let code: Code
    package let description: String
}

/// Reads a password from where the configuration says it is.
package enum SecretReader {
    package static func read(_ source: SecretSource) throws(SecretError) -> [UInt8] {
        throw SecretError(code: .missing, description: "not built")
    }
}
