import Foundation

/// Certificates made by the `openssl` command.
enum Certificates {
    /// Makes an authority: `NAME.pem` and `NAME.key`.
    static func authority(_ name: String, in folder: String) async throws {
        try await openssl(
            ["req", "-x509"] + newKey
                + ["-subj", "/CN=Doorward tests \(name)", "-keyout", "\(name).key", "-out", "\(name).pem"], in: folder)
    }

    /// Makes a certificate for the names, signed by the authority `ca` in the same folder: `FILE.crt` and `FILE.key`.
    static func certificate(_ file: String, for names: [String], in folder: String) async throws {
        try await openssl(
            ["req"] + newKey + ["-subj", "/CN=\(file)", "-keyout", "\(file).key", "-out", "\(file).csr"], in: folder)
        try await sign(file, "subjectAltName=\(names.map { "DNS:\($0)" }.joined(separator: ","))", in: folder)
    }

    /// Makes a certificate of an account's own (XEP-0178), signed by the same: `FILE.crt` and `FILE.key`.
    ///
    /// Without an extended key usage: Prosody checks that of clients as if they were servers.
    static func certificate(_ file: String, ofAccount account: String, in folder: String) async throws {
        try await openssl(
            ["req"] + newKey + ["-subj", "/CN=\(file)", "-keyout", "\(file).key", "-out", "\(file).csr"], in: folder)
        try await sign(file, "subjectAltName=otherName:1.3.6.1.5.5.7.8.5;UTF8:\(account)", in: folder)
    }

    private static func sign(_ file: String, _ names: String, in folder: String) async throws {
        try "\(names)\n".write(toFile: "\(folder)/\(file).ext", atomically: true, encoding: .utf8)
        try await openssl(
            [
                "x509", "-req", "-in", "\(file).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                "30",
                "-extfile", "\(file).ext", "-out", "\(file).crt",
            ], in: folder)
    }

    private static let newKey = [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
    ]

    private static func openssl(_ arguments: [String], in folder: String) async throws {
        let output = try await run("openssl", arguments, folder: folder)
        guard output.status == 0 else {
            throw HarnessError("openssl \(arguments.joined(separator: " ")): \(output.errors)")
        }
    }
}
