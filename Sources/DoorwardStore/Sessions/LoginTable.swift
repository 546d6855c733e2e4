import XMPPCore
import XMPPCrypto

/// Reads and writes what is kept of logins.
struct LoginTable {
    let connection: Connection

    func row(_ account: BareJID) throws(StoreError) -> LoginRow? {
        try connection.first(
            """
            SELECT strong, bound, user_agent, token_mechanism, token, token_expiry FROM account_login WHERE account = ?
            """,
            [.text(account.description)]
        ) { row throws(StoreError) in
            var login = LoginRow(
                isStrong: try row.flag(), isBound: try row.flag(), userAgent: try row.text())
            let (mechanism, token, expiry) = (
                try row.optionalText(), try row.optionalText(), try row.optionalText()
            )
            if let mechanism, let token, let expiry {
                login.token = LoginRow.Token(mechanism: mechanism, secret: Secret(token), expiry: expiry)
            }
            return login
        }
    }

    func write(_ login: LoginRow, of account: BareJID) throws(StoreError) {
        let token = login.token.map { String(decoding: $0.secret.bytes, as: UTF8.self) }
        try connection.run(
            """
            INSERT INTO account_login(account, strong, bound, user_agent, token_mechanism, token, token_expiry)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(account) DO UPDATE SET strong = excluded.strong, bound = excluded.bound,
                user_agent = excluded.user_agent, token_mechanism = excluded.token_mechanism, token = excluded.token,
                token_expiry = excluded.token_expiry
            """,
            [
                .text(account.description), SQLValue(login.isStrong), SQLValue(login.isBound), .text(login.userAgent),
                SQLValue(login.token?.mechanism), SQLValue(token), SQLValue(login.token?.expiry),
            ])
    }
}
