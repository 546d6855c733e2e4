import DoorwardPolicy
import XMPPCore

/// Reads the configuration with everything it names.
package enum ConfigurationLoader {
    /// Reads the configuration, all bots, policies and list files; every fault of every file in one run.
    ///
    /// It reads files and nothing else: no secret, no socket, no clock.
    package static func load(path: String, overlay: String?) -> LoadResult {
        var assembly = ConfigurationAssembly(path: path, overlay: overlay)
        let configuration = assembly.configuration()
        let faults = assembly.faults.sorted
        let isFaulty = faults.contains { $0.severity == .error }
        return LoadResult(configuration: isFaulty ? nil : configuration, faults: faults)
    }
}
