package import DoorwardPolicy

/// Reads one policy by itself, for `doorward policy explain PATH`.
package enum PolicyLoader {
    /// Reads the policy and its list files; the policy is nil where there is any error.
    package static func load(path: String) -> (policy: Policy?, faults: [Fault]) {
        let faults = FaultCollector()
        guard let file = SourceFile.yaml(path, mayHoldSecrets: false, faults: faults) else {
            return (nil, faults.sorted)
        }
        let outcome = PolicyReader.read(file, into: faults)
        return (outcome.policy, faults.sorted)
    }
}
