import DoorwardConfig

/// Finds the control socket of the running service.
///
/// A command must work while the files it stands beside have faults (that is when `alerts` is wanted), and must not
/// read every list of every policy. So of the overlay and the configuration only the top-level key `control` is read.
enum ControlSocketLocator {
    /// What the demo's overlay sets; see `DemoCommand`.
    static let demoSocket = "var/demo/doorward.sock"

    /// What the overlay or the configuration says; nil where neither does.
    static func named(_ file: ConfigurationFile) -> String? {
        file.overlay.flatMap { controlPath(in: $0) } ?? controlPath(in: file.path)
    }

    /// Where the demo would listen: beside the working folder, or beside the configuration's folder.
    ///
    /// With an overlay the caller has named one service; another one must not answer in its place.
    static func demo(_ file: ConfigurationFile) -> [String] {
        guard file.overlay == nil else { return [] }
        let beside = FilePath.join(FilePath.folder(of: FilePath.folder(of: file.path)), demoSocket)
        return beside == demoSocket ? [demoSocket] : [demoSocket, beside]
    }

    /// The value of the top-level key `control` of a file; nil where it has none or cannot be read.
    ///
    /// `check` judges the file; here a line `control: PATH` with or without quotes and a comment is all that is looked
    /// for.
    static func controlPath(in path: String) -> String? {
        guard let bytes = try? FileLoading.bytes(of: path, limit: 1_048_576),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("control:") {
            guard let value = scalar(line.dropFirst("control:".count)), !value.isEmpty else { return nil }
            // Cleaned, so that the path stays under the 107 bytes of a socket's name.
            return FilePath.cleaned(FilePath.join(FilePath.folder(of: path), value))
        }
        return nil
    }

    private static func scalar(_ text: Substring) -> String? {
        let trimmed = text.drop { $0 == " " || $0 == "\t" }
        guard let first = trimmed.first else { return nil }
        if first == "\"" || first == "'" {
            return String(trimmed.dropFirst().prefix { $0 != first })
        }
        var value = trimmed.prefix { $0 != "#" }
        while let last = value.last, last == " " || last == "\t" || last == "\r" { value.removeLast() }
        return String(value)
    }
}
