/// The values that the main file, bots and overlays share.
extension FileReader {
    /// The socket's address has room for so many bytes (`sun_path` less its final zero).
    private static let socketPathLimit = 107

    /// The absolute path of `sqlite:PATH`.
    func storePath(_ node: YAMLNode) -> String? {
        guard let text = text(node, "store") else { return nil }
        let scheme = "sqlite:"
        guard text.hasPrefix(scheme), text.utf8.count > scheme.utf8.count else {
            let isPath = !text.utf8.contains(UInt8(ascii: ":"))
            report(
                FaultCatalogue.badStore,
                node.mark,
                "the store is written sqlite:PATH",
                suggestion: isPath ? scheme + text : nil
            )
            return nil
        }
        return resolveAbsolute(String(text.dropFirst(scheme.count)))
    }

    func controlPath(_ node: YAMLNode) -> String? {
        guard let text = text(node, "control") else { return nil }
        let path = resolveAbsolute(text)
        guard path.utf8.count <= FileReader.socketPathLimit else {
            report(
                FaultCatalogue.controlPathTooLong,
                node.mark,
                "the control socket's path has \(path.utf8.count) bytes, and at most \(FileReader.socketPathLimit) are "
                    + "possible: \(path)"
            )
            return nil
        }
        return path
    }

    func redeliveryWait(_ node: YAMLNode) -> Duration? {
        duration(node, "redelivery_wait", in: 1...86_400)
    }

    func stopMode(_ node: YAMLNode) -> Configuration.StopMode? {
        choice(node, "stop", Configuration.StopMode.allCases.map(\.rawValue))
            .flatMap { Configuration.StopMode(rawValue: $0) }
    }

    func policyName(_ entry: YAMLEntry) -> NamedPlace? {
        word(entry.value, "a policy's name").map { NamedPlace(name: $0, mark: entry.value.mark, reader: self) }
    }

    /// The bounds of a whole number, where they are more than what fits into the program's own.
    static func words(of range: ClosedRange<Int>) -> String {
        switch (range.lowerBound, range.upperBound) {
        case (.min, .max): "a whole number with at most 18 digits"
        case (let least, .max): "\(least) or more, with at most 18 digits"
        case (let least, let most): "from \(least) to \(most)"
        }
    }
}
