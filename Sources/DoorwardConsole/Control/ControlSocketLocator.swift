import DoorwardConfig
import Glibc

/// Finds the control socket of the running service.
///
/// A command must work while the files it stands beside have faults (that is when `alerts` is wanted), and must not
/// read every list of every policy. So of the overlay and the configuration only the top-level key `control` is read.
enum ControlSocketLocator {
    /// What the demo's overlay sets; see `DemoCommand`.
    static let demoSocket = "var/demo/doorward.sock"

    /// The largest file that is looked into, in bytes.
    private static let sizeLimit = 1_048_576

    /// A file that does not say where the socket is, and why.
    struct Unreadable: Error, Hashable {
        var text: TerminalText
    }

    /// What the overlay or the configuration says; nil where neither does.
    static func named(_ file: ConfigurationFile) throws(Unreadable) -> String? {
        if let overlay = file.overlay, let path = try controlPath(in: overlay, flag: "--overlay") { return path }
        return try controlPath(in: file.path, flag: "--config")
    }

    /// Where the demo would listen: beside the working folder, or beside the configuration's folder.
    ///
    /// With an overlay the caller has named one service; another one must not answer in its place.
    static func demo(_ file: ConfigurationFile) -> [String] {
        guard file.overlay == nil else { return [] }
        let beside = FilePath.join(FilePath.folder(of: FilePath.folder(of: file.path)), demoSocket)
        return beside == demoSocket ? [demoSocket] : [demoSocket, beside]
    }

    /// The value of the top-level key `control` of a file; nil where it has none.
    ///
    /// `check` judges the file; here a line `control: PATH` with or without quotes and a comment is all that is looked
    /// for.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - flag: What names another one.
    /// - Returns: The socket's path.
    /// - Throws: Where the file cannot be read, or holds no text.
    static func controlPath(in path: String, flag: String) throws(Unreadable) -> String? {
        let bytes: [UInt8]
        do throws(FileLoading.Failure) { bytes = try FileLoading.bytes(of: path, limit: sizeLimit) } catch {
            throw Unreadable(text: "\(path) cannot be read: \(words(error)); name another file with \(flag)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Unreadable(text: "\(path) is no text in UTF-8; name another file with \(flag)")
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw Unreadable(text: "\(path) is empty; name another file with \(flag)")
        }
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("control:") {
            guard let value = scalar(line.dropFirst("control:".count)), !value.isEmpty else { return nil }
            // Cleaned, so that the path stays under the 107 bytes of a socket's name.
            return FilePath.cleaned(FilePath.join(FilePath.folder(of: path), value))
        }
        return nil
    }

    private static func words(_ failure: FileLoading.Failure) -> String {
        switch failure {
        case .system(let code): String(cString: strerror(code))
        case .notRegular: "it is no regular file"
        case .tooLarge: "it has over \(sizeLimit / 1_048_576) MiB, far more than a configuration"
        }
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
