import XMPPCore

/// The overlay that points the configuration's accounts at the private server.
///
/// Paths are relative to it.
struct DemoOverlay {
    var port: UInt16
    /// Each with the file of its password.
    var accounts: [(jid: BareJID, passwordFile: String)]

    var text: String {
        var text = """
            # Written by 'doorward demo' at each start; changes are lost.
            version: 1
            store: sqlite:doorward.db
            control: doorward.sock
            redelivery_wait: 10s
            accounts:

            """
        for account in accounts {
            text += """
                  - jid: \(Self.quoted(account.jid.description))
                    password: { file: \(Self.quoted(account.passwordFile)) }
                    connect: { host: 127.0.0.1, port: \(port), tls: starttls, ca_file: prosody/certs/ca.pem }

                """
        }
        return text
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
