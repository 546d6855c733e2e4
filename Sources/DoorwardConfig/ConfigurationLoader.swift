import DoorwardPolicy
import XMPPCore

/// Reads the configuration with everything it names.
package enum ConfigurationLoader {
    /// Reads the configuration, all bots, policies and list files; every fault of every file in one run.
    ///
    /// It reads files and the names of this machine's users, and nothing else: no secret, no socket, no clock.
    ///
    /// - Parameters:
    ///   - path: The main file.
    ///   - overlay: A file that changes accounts, if any.
    ///   - modules: The modules that this program has.
    ///   - isUser: Whether this machine has a Unix user; nil where that cannot be known.
    /// - Returns: The configuration, unless there is an error, and all faults.
    package static func load(
        path: String,
        overlay: String?,
        modules: ModuleRegistry = ModuleRegistry(),
        isUser: @escaping (String) -> Bool? = UnixUsers.isKnown
    ) -> LoadResult {
        var assembly = ConfigurationAssembly(path: path, overlay: overlay, modules: modules, isUser: isUser)
        let configuration = assembly.configuration()
        let faults = assembly.faults.sorted
        let isFaulty = faults.contains { $0.severity == .error }
        return LoadResult(configuration: isFaulty ? nil : configuration, faults: faults)
    }
}
