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
        let names = names.map { "DNS:\($0)" }.joined(separator: ",")
        try "subjectAltName=\(names)\n".write(toFile: "\(folder)/\(file).ext", atomically: true, encoding: .utf8)
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
