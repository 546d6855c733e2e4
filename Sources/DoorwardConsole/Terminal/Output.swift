import Glibc

/// Where a command writes: data and words to standard output, what goes wrong to standard error.
package struct Output: Sendable {
    /// The columns to fit words to.
    package var width: Int
    package var colours: Bool
    private let write: @Sendable (_ text: String, _ isError: Bool) -> Void

    package init(width: Int, colours: Bool, write: @escaping @Sendable (_ text: String, _ isError: Bool) -> Void) {
        self.width = width
        self.colours = colours
        self.write = write
    }

    /// The process's own streams.
    ///
    /// Colours only where standard output is a terminal and `NO_COLOR` is not set.
    package static func standard() -> Output {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        var size = winsize()
        let known = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 40
        return Output(
            width: known ? Int(size.ws_col) : 100,
            colours: isTerminal && getenv("NO_COLOR") == nil
        ) { text, isError in
            writeAll(Array(text.utf8), to: isError ? STDERR_FILENO : STDOUT_FILENO)
        }
    }

    package func line(_ text: TerminalText = "") { write(text.rendered(colours: colours) + "\n", false) }

    package func lines(_ lines: [TerminalText]) {
        write(lines.map { $0.rendered(colours: colours) + "\n" }.joined(), false)
    }

    /// One JSON document; the writer has escaped what a terminal could act on.
    package func json(_ value: JSONValue) { write(value.indented + "\n", false) }

    /// Faults of files on standard error, each as the contract of `check` has it.
    package func faults(_ faults: [TerminalText]) {
        write(faults.map { $0.rendered(colours: false) + "\n" }.joined(), true)
    }

    /// One line of the service's log, on standard error; whoever made it has escaped what strangers wrote.
    package func log(_ line: String) { write(line + "\n", true) }

    /// One line on standard error.
    package func error(_ text: TerminalText) { write("doorward: " + text.rendered(colours: false) + "\n", true) }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return
        }
    }
}
