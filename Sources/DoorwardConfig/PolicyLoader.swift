package import DoorwardPolicy

/// Reads one policy by itself, for `doorward policy explain PATH`.
package enum PolicyLoader {
    /// Reads the policy and its list files; the policy is nil where there is any error.
    package static func load(path: String) -> (policy: Policy?, faults: [Fault]) { (nil, []) }
}
