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
    /// `check` judges the file; here its faults count only where they hide the key.
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
        if let socket = ControlSetting.path(in: bytes, of: path) { return socket }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Unreadable(text: "\(path) is no text in UTF-8; name another file with \(flag)")
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw Unreadable(text: "\(path) is empty; name another file with \(flag)")
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
}
