import DoorwardConfig
import Glibc

/// Which configuration a command reads.
struct ConfigurationFile {
    /// Tried in this order where no `--config` is given.
    static let defaults = ["config/doorward.yaml", "/etc/doorward/doorward.yaml"]

    let path: String
    let overlay: String?
    /// The modules that this program has.
    let modules: ModuleRegistry

    init(_ invocation: Invocation) throws(UsageError) {
        modules = invocation.modules
        overlay = invocation["overlay"]
        if let named = invocation["config"] {
            path = named
            return
        }
        guard let found = Self.defaults.first(where: { access($0, F_OK) == 0 }) else {
            throw UsageError(
                "no configuration: there is neither \(Self.defaults[0]) nor \(Self.defaults[1]); name one with --config FILE"
            )
        }
        path = found
    }

    /// Reads it with all that it names.
    func load() -> LoadResult { load(overlay: overlay) }

    /// The same with another overlay.
    func load(overlay: String?) -> LoadResult {
        var result = ConfigurationLoader.load(path: path, overlay: overlay, modules: modules)
        guard result.faults.contains(where: \.isOfUnknownModule), let bot = BotPackage(around: path) else {
            return result
        }
        for index in result.faults.indices where result.faults[index].isOfUnknownModule {
            result.faults[index].message += bot.hint
        }
        return result
    }
}
