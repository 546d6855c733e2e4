/// A command line that is not understood: one line that says what is wrong and what to do.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: TerminalText

    init(_ message: TerminalText) { self.message = message }

    package var description: String { message.rendered(colours: false) }
}
