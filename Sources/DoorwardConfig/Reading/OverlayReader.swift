import XMPPCore

/// What an overlay changes: `doorward demo` and tests run the shipped files with it.
struct OverlaySettings {
    struct Account {
        /// Nil where it is faulty; the rest is checked all the same.
        var jid: BareJID?
        var mark: YAMLMark
        var reader: FileReader
        var password: SecretPlace?
        var connect: ConnectPlace?
        var login: LoginPlace?
    }

    var storePath: String?
    var controlPath: String?
    var redeliveryWait: Duration?
    var stop: Configuration.StopMode?
    var accounts: [Account] = []
}

struct OverlayReader {
    private static let schema = Schema(
        "an overlay",
        keys: ["version", "store", "control", "redelivery_wait", "stop", "accounts"],
        required: ["version"]
    )
    private static let accountSchema = Schema(
        "an account of an overlay",
        keys: ["jid", "connect", "login", "password"],
        required: ["jid"]
    )

    let reader: FileReader

    func settings(_ root: YAMLNode) -> OverlaySettings {
        var settings = OverlaySettings()
        guard let map = reader.mapping(root, "an overlay", example: "{ version: 1, accounts: [] }") else {
            return settings
        }
        let entries = reader.entries(map, of: OverlayReader.schema, at: root.mark)
        reader.checkVersion(entries["version"])
        settings.storePath = entries["store"].flatMap { reader.storePath($0.value) }
        settings.controlPath = entries["control"].flatMap { reader.controlPath($0.value) }
        settings.redeliveryWait = entries["redelivery_wait"].flatMap { reader.redeliveryWait($0.value) }
        settings.stop = entries["stop"].flatMap { reader.stopMode($0.value) }
        if let entry = entries["accounts"] { settings.accounts = accounts(entry.value) }
        return settings
    }

    private func accounts(_ node: YAMLNode) -> [OverlaySettings.Account] {
        let example = "[ { jid: …, connect: { host: 127.0.0.1 } } ]"
        guard let items = reader.sequence(node, "accounts", example: example) else { return [] }
        var accounts: [OverlaySettings.Account] = []
        for item in items {
            guard let map = reader.mapping(item, "an account", example: "{ jid: …, connect: { host: 127.0.0.1 } }")
            else { continue }
            let entries = reader.entries(map, of: OverlayReader.accountSchema, at: item.mark)
            let parts = AccountReader(reader: reader)
            let password = entries["password"].flatMap { parts.password($0.value) }
            let connect = entries["connect"].flatMap { parts.connect($0.value) }
            let login = entries["login"].flatMap { LoginReader(reader: reader).login($0.value) }
            let mark = entries["jid"]?.value.mark ?? item.mark
            var jid = entries["jid"].flatMap { reader.accountAddress($0.value, "jid") }
            if let known = jid, accounts.contains(where: { $0.jid == known }) {
                reader.report(
                    FaultCatalogue.duplicateAccount,
                    mark,
                    "the account \(known) stands in the overlay already"
                )
                jid = nil
            }
            accounts.append(
                OverlaySettings.Account(
                    jid: jid,
                    mark: mark,
                    reader: reader,
                    password: password,
                    connect: connect,
                    login: login
                )
            )
        }
        return accounts
    }
}
