import XMPPCore
import XMPPCrypto

/// An account as Prosody's `internal_hashed` keeps it on disk: SCRAM-SHA-1 keys, no password.
struct ProsodyAccountFile {
    /// The least that RFC 5802 section 5.1 allows, and quick for a start with many accounts.
    static let iterations = 4096

    let path: String
    let text: String

    /// The salt must be letters and digits, since Prosody takes the text itself for the salt.
    init(_ account: BareJID, password: String, dataFolder: String, salt: String) throws(DemoError) {
        guard let local = account.local else {
            throw DemoError(.badAddress, "\(account) is a server, not an account; an account has a part before the @")
        }
        guard let prepared = SASLPrep.prepare(password), !prepared.isEmpty else {
            throw DemoError(
                .badAddress,
                "the password of \(account) is empty or holds characters that SASLprep forbids"
            )
        }
        let salted = pbkdf2(
            .sha1,
            password: Secret(prepared),
            salt: Array(salt.utf8),
            iterations: Self.iterations
        )
        let clientKey = hmac(.sha1, key: salted, message: Array("Client Key".utf8))
        let serverKey = hmac(.sha1, key: salted, message: Array("Server Key".utf8))
        path = "\(dataFolder)/\(Self.encoded(account.domain))/accounts/\(Self.encoded(local)).dat"
        text = """
            return {
            \t["iteration_count"] = \(Self.iterations);
            \t["salt"] = \(ProsodyConfiguration.quoted(salt));
            \t["server_key"] = "\(hexadecimal(serverKey))";
            \t["stored_key"] = "\(hexadecimal(digest(.sha1, clientKey)))";
            };

            """
    }

    /// The name of a file or folder in Prosody's data: all but letters and digits as `%` and two hex digits.
    static func encoded(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal)
            text += isPlain ? String(Character(scalar)) : "%" + hexadecimal([byte])
        }
        return text
    }
}
