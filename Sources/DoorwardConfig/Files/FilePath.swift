import Glibc

/// Paths: as they are opened, and as they are shown.
package enum FilePath {
    /// Joins a path with the folder that it is relative to.
    package static func join(_ folder: String, _ path: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") || folder.isEmpty { return path }
        return folder.utf8.last == UInt8(ascii: "/") ? folder + path : folder + "/" + path
    }

    /// The folder of a file: empty for a bare name.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        let folder = path[..<slash]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Takes `.` and `NAME/..` out of a path.
    package static func cleaned(_ path: String) -> String {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else if part == "..", isAbsolute {
                continue
            } else {
                parts.append(part)
            }
        }
        let joined = parts.joined(separator: "/")
        if isAbsolute { return "/" + joined }
        return joined.isEmpty ? "." : joined
    }

    /// A path as people are shown it: a relative one as they named it, an absolute one relative to the working folder
    /// where it is inside of that.
    package static func shown(_ path: String) -> String {
        let named = cleaned(path)
        guard named.utf8.first == UInt8(ascii: "/"), let folder = real("."), folder.utf8.count > 1 else { return named }
        let inside = folder + "/"
        // The working folder has no links in it; what people name may have.
        let inFolder = [named, absolute(path)].first { $0.utf8.starts(with: inside.utf8) }
        return inFolder.map { String($0.unicodeScalars.dropFirst(inside.unicodeScalars.count)) } ?? named
    }

    /// An absolute path; the links of its folder are resolved first, so that `..` means what the kernel means.
    static func absolute(_ path: String) -> String {
        let folder = folder(of: path)
        let base = real(folder.isEmpty ? "." : folder) ?? join(real(".") ?? "/", folder)
        let name =
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        return cleaned(join(base, name))
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
