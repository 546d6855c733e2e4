import DoorwardConfig
import Glibc

/// The Swift package of a bot whose files a program reads that was not built of it: its modules are in its own program only.
struct BotPackage {
    private static let sizeLimit = 1 << 20
    /// What `swift run` calls it.
    let name: String

    /// The package that a configuration stands in, beside `config` or in the folder itself; nil where there is none, or the
    /// running program was built of it.
    ///
    /// - Parameter path: Of the configuration.
    init?(around path: String) {
        let folder = FilePath.folder(of: path)
        for candidate in [folder, FilePath.join(folder, "..")] {
            let candidate = candidate.isEmpty ? "." : candidate
            guard !Self.isOfThisProgram(candidate),
                let bytes = try? FileLoading.bytes(of: candidate + "/Package.swift", limit: Self.sizeLimit),
                let name = Self.name(in: String(decoding: bytes, as: UTF8.self))
            else { continue }
            self.name = name
            return
        }
        return nil
    }

    /// What follows the words about a module that is not known.
    var hint: String { "; the bot's own program has the modules of its folder: 'swift run \(name) check'" }

    /// The package's name, which is that of its program as `new bot` writes it.
    private static func name(in manifest: String) -> String? {
        guard let start = manifest.firstRange(of: "name: \"") else { return nil }
        let name = manifest[start.upperBound...].prefix { $0 != "\"" && $0 != "\n" }
        return BotName(String(name))?.text
    }

    private static func isOfThisProgram(_ folder: String) -> Bool {
        guard let folder = realpath(folder, nil), let program = realpath("/proc/self/exe", nil) else { return false }
        defer {
            free(folder)
            free(program)
        }
        return String(cString: program).hasPrefix(String(cString: folder) + "/")
    }
}

extension Fault {
    /// Whether it says that the program has no module of that name.
    var isOfUnknownModule: Bool { code.utf8.elementsEqual(FaultCatalogue.unknownModule.code.utf8) }
}
