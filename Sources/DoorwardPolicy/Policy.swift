/// A policy as it is evaluated: rules in order, lists resolved. The loader in DoorwardConfig makes it.
package struct Policy: Sendable {
    package var name: String
    /// SHA-256 over the policy's file and its list files, as lower-case hex.
    package var digest: String

    package init(name: String, digest: String) {
        self.name = name
        self.digest = digest
    }
}
