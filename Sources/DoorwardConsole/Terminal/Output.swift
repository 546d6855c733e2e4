import Glibc
import XMPPTransport

/// Where a command writes: data and words to standard output, what goes wrong to standard error.
package struct Output: Sendable {
    /// The width where nothing is cut or wrapped: what reads it is a program, or a file.
    package static let unbounded = 1_000_000

    /// The columns to fit words to.
    package var width: Int
    package var colours: Bool
    private let write: @Sendable (_ text: String, _ isError: Bool) -> Void
    /// Why something could not be written to standard output; nil where all was, or nobody wanted it any more.
    let failure: @Sendable () -> String?

    package init(
        width: Int, colours: Bool, failure: @escaping @Sendable () -> String? = { nil },
        write: @escaping @Sendable (_ text: String, _ isError: Bool) -> Void
    ) {
        self.width = width
        self.colours = colours
        self.failure = failure
        self.write = write
    }

    /// The process's own streams.
    ///
    /// Colours only where standard output is a terminal and `NO_COLOR` is not set. The width is `COLUMNS`, else the
    /// terminal's; where there is neither, nothing is cut.
    ///
    /// - Parameters:
    ///   - output: The descriptor for data and words.
    ///   - error: The descriptor for what goes wrong.
    /// - Returns: The output.
    package static func standard(output: Int32 = STDOUT_FILENO, error: Int32 = STDERR_FILENO) -> Output {
        let isTerminal = isatty(output) == 1
        let columns = getenv("COLUMNS").map { String(cString: $0) }
        let failure = Locked<String?>(nil)
        return Output(
            width: width(columns: columns, ofTerminal: isTerminal ? width(of: output) : nil, isTerminal: isTerminal),
            colours: isTerminal && getenv("NO_COLOR") == nil,
            failure: { failure.withLock { $0 } }
        ) { text, isError in
            let code = writeAll(Array(text.utf8), to: isError ? error : output)
            // A reader that has seen enough (`| head -1`) is no failure, and there is nowhere to tell of standard error's.
            guard code != 0, code != EPIPE, !isError else { return }
            failure.withLock { $0 = $0 ?? String(cString: strerror(code)) }
        }
    }

    /// The width to fit words to: at least 40 columns, and 100 where a terminal does not say.
    ///
    /// - Parameters:
    ///   - columns: What `COLUMNS` says.
    ///   - known: What the terminal says.
    ///   - isTerminal: Whether standard output is one.
    /// - Returns: The columns, or `unbounded`.
    package static func width(columns: String?, ofTerminal known: Int?, isTerminal: Bool) -> Int {
        if let named = columns.flatMap({ Int($0) }), (40...unbounded).contains(named) { return named }
        guard isTerminal else { return unbounded }
        return known.flatMap { $0 > 0 ? max($0, 40) : nil } ?? 100
    }

    private static func width(of terminal: Int32) -> Int? {
        var size = winsize()
        return ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : nil
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

/// Writes all of it.
///
/// - Returns: 0, or the `errno` of what went wrong.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}
