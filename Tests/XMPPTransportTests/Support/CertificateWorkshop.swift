import Foundation
import Testing
import XMPPTransport

/// Makes certificates with the `openssl` command, in a folder that goes with the test process.
final class CertificateWorkshop: Sendable {
    struct Request: Sendable {
        var commonName = "leaf"
        /// The subjectAltName, as OpenSSL's configuration writes it; `nil` for none.
        var names: String? = "DNS:example.org"
        var start = "20200101000000Z"
        var end = "20490101000000Z"
        /// The extended key usage; `nil` for any.
        var purpose: String? = "serverAuth"
        var isAuthority = false
        var digest = "sha256"
        var key = Key.elliptic
        /// Whether an RSA key signs by RSASSA-PSS.
        var isPSS = false
        var issuer = Issuer.root
        /// Whether the server sends the certificates between its own and the root.
        var sendsChain = true
    }

    enum Key: String {
        case elliptic, other, weak, rsa, ed25519
    }

    enum Issuer: String {
        case root, stranger, intermediate, confined, barred, itself
    }

    struct CommandFailed: Error {
        let text: String
    }

    static let shared = Result { try CertificateWorkshop() }

    let folder: String
    private let lastNumber = Locked(0)
    private let commands = Locked(())

    var authority: String { folder + "/root.pem" }

    private init() throws {
        folder = try makeFolder()
        Self.folderToRemove.withLock { $0 = folder }
        atexit { CertificateWorkshop.removeFolder() }
        let configuration = """
            [ca]
            default_ca = x
            [x]
            database = \(folder)/index
            rand_serial = yes
            unique_subject = no
            policy = p
            email_in_dn = no
            new_certs_dir = \(folder)
            x509_extensions = none
            [none]
            [p]
            commonName = supplied
            [req]
            distinguished_name = dn
            [dn]
            """
        try write("ca.cnf", configuration)
        try write("index", "")
        try write("ca.ext", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\nsubjectKeyIdentifier=hash\n")
        for name in ["root", "stranger", "intermediate", "confined", "barred", "elliptic", "other"] {
            try run("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file("\(name).key"))
            try makeRequest(name)
        }
        try run("genrsa", "-out", file("weak.key"), "1024")
        try run("genrsa", "-out", file("rsa.key"), "2048")
        try run("genpkey", "-algorithm", "ed25519", "-out", file("ed25519.key"))
        for name in ["weak", "rsa", "ed25519"] { try makeRequest(name) }
        for name in ["root", "stranger"] {
            try run(
                "x509",
                "-req",
                "-in",
                file("\(name).csr"),
                "-signkey",
                file("\(name).key"),
                "-days",
                "3650",
                "-extfile",
                file("ca.ext"),
                "-out",
                file("\(name).pem")
            )
        }
        // Authorities between: one for any name, one for the names below a domain only, one for all but those.
        for (name, limit) in [("confined", "permitted"), ("barred", "excluded")] {
            try write(
                "\(name).ext",
                "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n"
                    + "nameConstraints=critical,\(limit);DNS:example.net\n"
            )
        }
        for (name, extensions) in [
            ("intermediate", "ca.ext"), ("confined", "confined.ext"), ("barred", "barred.ext"),
        ] {
            try run(
                ["x509", "-req", "-in", file("\(name).csr"), "-CA", file("root.pem"), "-CAkey", file("root.key")]
                    + ["-CAcreateserial", "-days", "3650", "-extfile", file(extensions), "-out", file("\(name).pem")]
            )
        }
    }

    private func makeRequest(_ name: String) throws {
        try run(
            ["req", "-new", "-config", file("ca.cnf"), "-key", file("\(name).key"), "-subj", "/CN=\(name)"]
                + ["-out", file("\(name).csr")]
        )
    }

    private static let folderToRemove = Locked("")

    private static func removeFolder() {
        let folder = folderToRemove.withLock { $0 }
        if !folder.isEmpty { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// A server's context with a certificate as asked for.
    func server(
        _ request: Request = Request(), options: TLSServerOptions = TLSServerOptions()
    ) throws -> TLSContext {
        let (certificate, key) = try make(request)
        return try TLSContext.server(certificateFile: certificate, keyFile: key, options: options)
    }

    /// A client of example.org that trusts the root.
    func settings() throws -> TLSSettings { TLSSettings(domain: "example.org", context: try client()) }

    func client() throws -> TLSContext { try TLSContext.client(caFile: authority) }

    /// A client's certificate.
    func identity(_ name: String = "bot@example.org", issuer: Issuer = .root) throws -> TLSIdentity {
        var request = Request()
        request.names = "otherName:1.3.6.1.5.5.7.8.5;UTF8:" + name
        request.purpose = "clientAuth"
        request.key = .other
        request.issuer = issuer
        let (certificate, key) = try make(request)
        return try TLSIdentity.load(certificateFile: certificate, keyFile: key)
    }

    /// SHA-256 of the SubjectPublicKeyInfo of a certificate or key file, by the command.
    func pin(_ name: String) throws -> [UInt8] {
        let key = file("\(name).pub")
        try run("pkey", "-in", file("\(name).key"), "-pubout", "-outform", "DER", "-out", key)
        try run("dgst", "-sha256", "-binary", "-out", key + ".sha256", key)
        return Array(try Data(contentsOf: URL(fileURLWithPath: key + ".sha256")))
    }

    func make(_ request: Request) throws -> (certificate: String, key: String) {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        var extensions = "basicConstraints=CA:\(request.isAuthority ? "TRUE" : "FALSE")\n"
        if let purpose = request.purpose { extensions += "extendedKeyUsage=\(purpose)\n" }
        if let names = request.names { extensions += "subjectAltName=\(names)\n" }
        try write("\(number).ext", extensions)
        let key = file("\(request.key.rawValue).key")
        let issuer =
            request.issuer == .itself
            ? ["-selfsign", "-keyfile", key]
            : ["-cert", file("\(request.issuer.rawValue).pem"), "-keyfile", file("\(request.issuer.rawValue).key")]
        let certificate = file("\(number).pem")
        try run(
            ["ca", "-batch", "-notext", "-config", file("ca.cnf"), "-in", file("\(request.key.rawValue).csr")] + issuer
                + ["-subj", "/CN=\(request.commonName)", "-extfile", file("\(number).ext"), "-md", request.digest]
                + (request.isPSS ? ["-sigopt", "rsa_padding_mode:pss"] : [])
                + ["-startdate", request.start, "-enddate", request.end, "-out", certificate]
        )
        if [.intermediate, .confined, .barred].contains(request.issuer) && request.sendsChain {
            let chain = try String(contentsOfFile: file("\(request.issuer.rawValue).pem"), encoding: .utf8)
            let own = try String(contentsOfFile: certificate, encoding: .utf8)
            try (own + chain).write(toFile: certificate, atomically: true, encoding: .utf8)
        }
        return (certificate, key)
    }

    /// The digest of a certificate, by the command.
    func digest(of certificate: String, _ hash: String) throws -> [UInt8] {
        try run("x509", "-in", certificate, "-outform", "DER", "-out", certificate + ".der")
        try run("dgst", "-\(hash)", "-binary", "-out", certificate + ".digest", certificate + ".der")
        return Array(try Data(contentsOf: URL(fileURLWithPath: certificate + ".digest")))
    }

    func file(_ name: String) -> String { folder + "/" + name }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    }

    func run(_ arguments: String...) throws { try run(arguments) }

    /// One command at a time: `openssl ca` keeps an index.
    private func run(_ arguments: [String]) throws {
        try commands.withLock { _ in
            let (status, output) = Command.run(["openssl"] + arguments)
            guard status == 0 else {
                throw CommandFailed(text: "openssl \(arguments): \(String(decoding: output, as: UTF8.self))")
            }
        }
    }
}
