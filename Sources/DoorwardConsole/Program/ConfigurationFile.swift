import Glibc

/// Which configuration a command reads.
struct ConfigurationFile {
    /// Tried in this order where no `--config` is given.
    static let defaults = ["config/doorward.yaml", "/etc/doorward/doorward.yaml"]

    let path: String
    let overlay: String?

    init(_ invocation: Invocation) throws(UsageError) {
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
}
