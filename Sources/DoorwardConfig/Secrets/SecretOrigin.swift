import Glibc

/// Where a password is read from, in the words of errors.
enum SecretOrigin {
    case file(String)
    case variable(String)
    case credential(String)
    case command(String)

    var words: String {
        switch self {
        case .file(let path): "the password file \(path)"
        case .variable(let name): "the variable \(name)"
        case .credential(let name): "the systemd credential \(name)"
        case .command(let program): "the output of \(program)"
        }
    }

    /// What to do, so that the password is there.
    var mend: String {
        switch self {
        case .file: "write the password into it"
        case .variable: "set it to the password before the start"
        case .credential(let name): "let LoadCredential=\(name):PATH of the unit name a file with the password"
        case .command: "the program prints the password as its first line"
        }
    }

    /// Whether a file that others can read is refused.
    ///
    /// systemd makes a credential's folder private and shows its access list as the group's bits.
    var refusesOthers: Bool {
        switch self {
        case .file: true
        case .variable, .credential, .command: false
        }
    }

    var tooLong: SecretError {
        SecretError(.tooLong, "\(words) has more than \(SecretReader.limit) bytes; \(mend), and nothing else")
    }

    /// Why it could not be opened.
    func failure(_ code: Int32) -> SecretError {
        switch (code, self) {
        case (ENOENT, .file), (ENOTDIR, .file):
            SecretError(.missing, "\(words) is missing; write the password into it and chmod 600 it")
        case (ENOENT, _), (ENOTDIR, _): SecretError(.missing, "\(words) is missing; \(mend)")
        case (ELOOP, _): SecretError(.notRegular, "\(words) is a symbolic link; name the file itself")
        case (_, _): SecretError(.unreadable, "\(words) cannot be read: \(SystemError.words(code))")
        }
    }
}
