import Glibc

/// Where the programs of the bench are: its own, the nested package's, and the peers.
enum BenchTools {
    /// The folder of this program.
    static func ownFolder() throws(BenchError) -> String {
        guard let path = realpath("/proc/self/exe", nil) else { throw BenchError("/proc/self/exe cannot be read") }
        defer { free(path) }
        let own = String(cString: path)
        return String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
    }

    static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// A folder with these programs of ours in C; they are built where there is none.
    static func folder(
        _ given: String?, _ names: [String] = ["bench-server", "bench-floor"]
    ) throws(BenchError) -> String {
        let own = try ownFolder()
        for folder in given.map({ [$0] }) ?? [own, own + "/bench-peers"] {
            if names.allSatisfy({ isProgram("\(folder)/\($0)") }) { return folder }
        }
        if let given { throw BenchError("\(given) has no \(names.joined(separator: " and "))") }
        return try build(names, for: own)
    }

    /// Builds the nested package, which stands in the sources above this program.
    private static func build(_ names: [String], for own: String) throws(BenchError) -> String {
        var root = own
        while access("\(root)/Sources/bench-peers/Package.swift", R_OK) != 0 {
            guard let slash = root.lastIndex(of: "/"), slash > root.startIndex else {
                throw BenchError(
                    "\(names.joined(separator: " and ")) not beside this program, and neither are its sources: build "
                        + "them by 'swift build -c release --package-path Sources/bench-peers' and name their folder by --tools"
                )
            }
            root = String(root[..<slash])
        }
        let folder = "\(root)/.build/bench-peers"
        for product in names {
            complain("building \(product)")
            let command = [
                "swift", "build", "-c", "release", "--package-path", "\(root)/Sources/bench-peers", "--scratch-path",
                folder,
                "--product", product,
            ]
            let line = command.joined(separator: " ")
            let helper = try Helper(product, ["/bin/sh", "-c", line + " >&2 && echo BUILT"])
            defer { helper.end() }
            do throws(BenchError) {
                _ = try helper.wait(for: "BUILT", seconds: 600)
            } catch {
                throw BenchError("\(product) could not be built; it needs libssl-dev and libexpat1-dev: \(line)")
            }
        }
        return "\(folder)/release"
    }

    /// The peers that are there, and what is missing of the others, by name.
    static func peers(in folder: String, only: [String]) -> (found: [Contender], absent: [(name: String, why: String)])
    {
        var found: [Contender] = []
        var absent: [(name: String, why: String)] = []
        for name in ["strophe", "gloox", "qxmpp", "slixmpp", "aioxmpp", "nbxmpp"]
        where only.isEmpty || only.contains(name) {
            let path = "\(folder)/peers/\(name)_bot"
            // Debian has nbxmpp for its own Python only.
            let python = name == "nbxmpp" ? "/usr/bin/python3" : "\(folder)/../venv/bin/python"
            if isProgram(path) {
                found.append(Contender(name: name, command: [path], kind: .peer))
            } else if access(path + ".py", R_OK) != 0 {
                absent.append((name, "there is neither \(path) nor \(path).py; see the README there"))
            } else if isProgram(python) {
                found.append(Contender(name: name, command: [python, path + ".py"], kind: .peer))
            } else {
                absent.append((name, "there is no \(python)"))
            }
        }
        return (found, absent)
    }
}
