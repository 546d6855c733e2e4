import Glibc

/// What can be seen of an account's own certificate without using it.
enum CertificateCheck {
    /// Certificates with all between them and their authority, and keys, are small.
    private static let limit = 1_048_576

    /// Warns of files that are missing, and of a key that others can read; the account parks at run.
    static func report(_ place: LoginPlace) {
        guard let certificate = place.login.certificate else { return }
        if let mark = place.certificateMark { checkReadable(certificate.file, "certificate", mark, place.reader) }
        guard let mark = place.keyMark, checkReadable(certificate.key, "key", mark, place.reader) else { return }
        var status = stat()
        guard stat(certificate.key, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        let shown = FilePath.shown(certificate.key)
        place.reader.report(
            FaultCatalogue.keyOpen, mark,
            "others can read the key of the certificate; the account will not log in: chmod 600 \(shown)")
    }

    @discardableResult
    private static func checkReadable(_ path: String, _ what: String, _ mark: YAMLMark, _ reader: FileReader) -> Bool {
        do throws(FileLoading.Failure) {
            _ = try FileLoading.bytes(of: path, limit: limit)
            return true
        } catch {
            reader.report(
                FaultCatalogue.certificateMissing, mark,
                "the \(what) file \(FilePath.shown(path)) cannot be read: \(error.words); the account will not log in")
            return false
        }
    }
}
