import Glibc
import XMPPCore

/// The folder `var/demo` beside the configuration's folder: everything that the demo writes is below it.
struct DemoFolder: Sendable {
    /// Absolute, without links, since paths in it are compared with those of running processes.
    let path: String

    var overlay: String { "\(path)/overlay.yaml" }
    var server: String { "\(path)/prosody" }
    var log: String { "\(path)/doorward.log" }

    /// Makes it, and takes it for this process until its end.
    ///
    /// - Throws: Where it cannot be written, or another demo has it.
    static func take(besideConfiguration file: String) throws(DemoError) -> DemoFolder {
        guard let resolved = realpath(file, nil) else {
            throw DemoError(.fileFailed, "cannot read \(file): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        let folder = DemoFolder(path: path(besideConfiguration: String(cString: resolved)))
        // The control socket asks for a folder that others cannot enter.
        try Files.makeFolder(folder.path, mode: 0o750)
        try folder.lock()
        for name in [
            "doorward.db", "doorward.db-wal", "doorward.db-shm", "doorward.db.events", "passwords", "doorward.log",
        ] {
            Files.remove("\(folder.path)/\(name)")
        }
        try Files.makeFolder("\(folder.path)/passwords", mode: 0o700)
        return folder
    }

    /// `config/doorward.yaml` lies one folder below the one that gets `var/demo`.
    static func path(besideConfiguration file: String) -> String {
        let parts = file.split(separator: "/").dropLast(2)
        return (["" as Substring] + parts + ["var", "demo"]).joined(separator: "/")
    }

    /// Two demos in one folder would end each other's Prosody.
    ///
    /// The kernel drops the lock with the process, however that ends, so the descriptor is kept open on purpose.
    private func lock() throws(DemoError) {
        let descriptor = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DemoError(.fileFailed, "cannot write \(path)/lock: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw DemoError(.alreadyRunning, "a demo runs here already; press Ctrl-C in its terminal first")
        }
    }

    /// The file with an account's password, for the overlay.
    func passwordFile(of account: BareJID) -> String { "passwords/\(ProsodyAccountFile.encoded(account.description))" }

    func writePassword(_ password: String, of account: BareJID) throws(DemoError) {
        try Files.write(password + "\n", to: "\(path)/\(passwordFile(of: account))", mode: 0o600)
    }
}
