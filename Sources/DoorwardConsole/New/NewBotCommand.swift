import DoorwardConfig
import Glibc

/// `doorward new bot NAME`: a folder with a bot that builds, tests and runs as it is.
enum NewBotCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> ProgramStatus {
        let name = BotName(invocation.arguments.first ?? "")
        guard let name else {
            throw UsageError(
                "a bot's name is made of small letters, digits and '-', begins with a letter and has at most 40 of them, "
                    + "such as 'weather'")
        }
        guard !BotName.taken.contains(name.text) else {
            throw UsageError(
                "'\(name.text)' is a name that Doorward's own package has; give another one, such as 'weather'")
        }
        let folder = invocation["into"] ?? name.text
        var information = stat()
        guard lstat(folder, &information) != 0 else {
            output.error(
                "\(folder) is there already, and nothing of it was touched; give another name, or --into FOLDER")
            return .refused
        }
        let library = try libraryPath(invocation["doorward"])
        let template = BotTemplate(name: name, libraryPath: library)
        do throws(DemoError) {
            for file in template.files {
                let path = "\(folder)/\(file.path)"
                if let slash = path.lastIndex(of: "/") {
                    try Files.makeFolder(String(path[..<slash]), mode: file.folderMode)
                }
                try Files.write(file.text, to: path, mode: 0o644)
            }
        } catch {
            output.error("\(error.description)")
            return .refused
        }
        output.lines([
            "Wrote the bot \(name.text) into \(folder). What to do next:", "", "    cd \(shellQuoted(folder))",
            "    swift test", "    swift run \(name.text) check", "", "\(folder)/README.md says the rest.",
        ])
        if library == nil {
            output.error(
                "where Doorward's package is was not found: write it into \(folder)/Package.swift, or use --doorward PATH"
            )
        }
        return .done
    }

    /// The absolute path of Doorward's package; nil where it is not known.
    private static func libraryPath(_ named: String?) throws(UsageError) -> String? {
        if let named {
            guard let path = absolute(named), isLibrary(path) else {
                throw UsageError(
                    "'\(named)' is not the folder of Doorward's package: there is no Sources/DoorwardConsole in it")
            }
            return path
        }
        // A program that was built in the package's own folder stands below it.
        guard var path = absolute("/proc/self/exe") else { return nil }
        while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            path = String(path[..<slash])
            if isLibrary(path) { return path }
        }
        return nil
    }

    private static func isLibrary(_ path: String) -> Bool {
        access(path + "/Package.swift", R_OK) == 0 && access(path + "/Sources/DoorwardConsole", R_OK) == 0
    }

    private static func absolute(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// The name of a new bot, and what it is called in Swift.
struct BotName {
    /// A package of such a name would not load: its targets are the library's too.
    static let taken: Set<String> = ["doorward", "doorkeeper", "echo", "greeter", "janitor", "lobby"]

    let text: String

    /// Nil where it cannot be one.
    init?(_ text: String) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= 40,
            text.utf8.last != UInt8(ascii: "-"),
            text.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.text = text
    }

    /// `RainRadar` of `rain-radar`.
    var camel: String {
        text.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The target: not a name that a type of ours or of Swift may have.
    var target: String { camel + "Bot" }

    var module: String { camel + "Module" }
}
