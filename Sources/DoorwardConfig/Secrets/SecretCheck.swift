import Glibc

/// What can be seen of a secret without reading it.
enum SecretCheck {
    /// Warns of a file that is missing, open to others, empty or too long; the account parks at run.
    static func report(_ place: SecretPlace) {
        guard case .file(let path) = place.source else { return }
        let shown = FilePath.shown(path)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            place.reader.report(
                FaultCatalogue.secretMissing,
                place.mark,
                "the password file \(shown) cannot be found: \(SystemError.words(errno)); the account will not log in"
            )
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            place.reader.report(
                FaultCatalogue.secretOpen,
                place.mark,
                "the password file \(shown) is no regular file; the account will not log in"
            )
            return
        }
        guard status.st_mode & 0o077 == 0 else {
            place.reader.report(
                FaultCatalogue.secretOpen,
                place.mark,
                "others can read the password file; the account will not log in: chmod 600 \(shown)"
            )
            return
        }
        guard (1...SecretReader.limit).contains(Int(status.st_size)) else {
            let size = status.st_size == 0 ? "is empty" : "has \(status.st_size) bytes, over \(SecretReader.limit)"
            place.reader.report(
                FaultCatalogue.secretSize,
                place.mark,
                "the password file \(shown) \(size); the account will not log in: its first line is the password"
            )
            return
        }
    }
}
