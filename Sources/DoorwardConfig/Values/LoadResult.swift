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
