/// One authority and one certificate a host, made by the `openssl` command.
struct DemoCertificates {
    /// Absolute; mode 0700.
    let folder: String

    var authority: String { "\(folder)/ca.pem" }
    private var authorityKey: String { "\(folder)/ca.key" }
    private var settings: String { "\(folder)/openssl.cnf" }
    private var log: String { "\(folder)/openssl.log" }

    func certificate(of host: Int) -> String { "\(folder)/host\(host).crt" }
    func key(of host: Int) -> String { "\(folder)/host\(host).key" }

    /// Makes all of them; blocks.
    ///
    /// - Parameter hosts: A-labels.
    /// - Throws: Where `openssl` is missing or fails, or a file cannot be written.
    func make(for hosts: [String]) throws(DemoError) {
        let openssl = try ProgramFinder.find("openssl", package: "openssl")
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(Self.settings(for: hosts), to: settings, mode: 0o600)
        let common = [
            "req", "-x509", "-config", settings, "-sha256", "-days", "825", "-noenc", "-newkey", "ec",
            "-pkeyopt", "ec_paramgen_curve:prime256v1",
        ]
        try ChildProcess.run(
            openssl,
            common + ["-extensions", "authority", "-keyout", authorityKey, "-out", authority],
            output: log
        )
        for number in hosts.indices {
            let parts = [
                "-extensions", "host\(number)", "-CA", authority, "-CAkey", authorityKey, "-keyout", key(of: number),
                "-out", certificate(of: number),
            ]
            try ChildProcess.run(openssl, common + parts, output: log)
        }
    }

    /// The name that counts is the subjectAltName (RFC 6125 section 6.4.4); the subject only says whose it is.
    static func settings(for hosts: [String]) -> String {
        var text = """
            [req]
            distinguished_name = subject
            prompt = no
            [subject]
            O = Doorward demo
            CN = private to this machine
            [authority]
            basicConstraints = critical,CA:TRUE
            keyUsage = critical,keyCertSign,cRLSign
            subjectKeyIdentifier = hash

            """
        for (number, host) in hosts.enumerated() {
            text += """
                [host\(number)]
                basicConstraints = critical,CA:FALSE
                keyUsage = critical,digitalSignature
                extendedKeyUsage = serverAuth
                subjectKeyIdentifier = hash
                authorityKeyIdentifier = keyid
                subjectAltName = DNS:\(host)

                """
        }
        return text
    }
}
