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

extension SourceFile {
    private static let yamlLimit = 1_048_576

    /// Reads a YAML file, or reports why it cannot be read.
    static func yaml(_ path: String, mayHoldSecrets: Bool, faults: FaultCollector) -> SourceFile? {
        let shown = FilePath.cleaned(path)
        do {
            let bytes = try FileLoading.bytes(of: path, limit: yamlLimit)
            return SourceFile(
                path: shown,
                absolutePath: FilePath.absolute(path),
                bytes: bytes,
                mayHoldSecrets: mayHoldSecrets
            )
        } catch {
            let kind = if case .tooLarge = error { FaultCatalogue.fileTooLarge } else { FaultCatalogue.fileUnreadable }
            faults.report(kind, path: shown, "the file cannot be read: \(error.words)")
            return nil
        }
    }
}
