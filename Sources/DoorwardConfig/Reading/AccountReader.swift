import XMPPCore

/// An account as a file has it, before it is known whether what it names is there.
struct AccountDraft {
    /// Nil where it is faulty or stands elsewhere already; the rest is checked all the same.
    var jid: BareJID?
    /// Where the address stands, or the account where it has none.
    var mark: YAMLMark
    /// Where the account's map stands.
    var wholeMark: YAMLMark
    var reader: FileReader
    var bot: String
    var policy: NamedPlace?
    /// Whether the file names a policy, or may do so where it could not be read.
    var mayHavePolicy: Bool
    var password: SecretPlace?
    var connect: ConnectPlace?
    var login: LoginPlace?
    /// Whether the file says how to log in, or may do so where it could not be read.
    var mayHaveCredentials: Bool
    var resource: String?
    var mode: AccountConfiguration.Mode
    var modules: [ModuleConfiguration] = []
    var profile: ProfileConfiguration
    /// Nil where the account leaves it to its bot.
    var answers: Set<AccountConfiguration.Answer>?
    var trustedRosterExchange: Set<BareJID> = []
}

/// A secret's source, and where the file has it.
struct SecretPlace {
    var source: SecretSource
    var mark: YAMLMark
    var reader: FileReader
}

/// A `connect`, and where the file has it.
struct ConnectPlace {
    var connect: AccountConfiguration.Connect
    var caFileMark: YAMLMark?
    var reader: FileReader
}

/// Reads the parts of an account that a bot and an overlay share.
struct AccountReader {
    private static let connectSchema = Schema(
        "connect",
        keys: ["host", "port", "tls", "ca_file", "pins"],
        synonyms: [
            "server": "host", "address": "host", "ca": "ca_file", "cafile": "ca_file", "starttls": "tls", "pin": "pins",
            "fingerprints": "pins",
        ]
    )
    private static let passwordSchema = Schema(
        "password",
        keys: SecretShape.keys,
        synonyms: ["environment": "env", "path": "file", "cmd": "command", "exec": "command", "creds": "credential"],
        hidesKeys: true
    )

    let reader: FileReader

    // MARK: Connect

    func connect(_ node: YAMLNode) -> ConnectPlace? {
        guard let map = reader.mapping(node, "connect", example: "{ host: 127.0.0.1, port: 5222 }") else { return nil }
        let entries = reader.entries(map, of: AccountReader.connectSchema, at: node.mark)
        var connect = AccountConfiguration.Connect()
        if let entry = entries["host"] { connect.host = host(entry.value) }
        if let entry = entries["port"] {
            connect.port = reader.integer(entry.value, "port", in: 1...65_535).map { UInt16(clamping: $0) }
            if entries["host"] == nil, reader.isComplete {
                reader.report(FaultCatalogue.missingKey, entry.mark, "port needs 'host' beside it")
            }
        }
        if let entry = entries["tls"] { connect.tls = tls(entry.value) }
        var mark: YAMLMark?
        if let entry = entries["ca_file"] {
            mark = entry.value.mark
            connect.caFile = reader.text(entry.value, "ca_file").map(reader.resolveAbsolute)
        }
        if let entry = entries["pins"] { connect.pins = pins(entry.value) }
        return ConnectPlace(connect: connect, caFileMark: mark, reader: reader)
    }

    private func host(_ node: YAMLNode) -> String? {
        guard let host = reader.text(node, "host", limit: 255) else { return nil }
        let isHost = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/@\"'".utf8.contains($0) }
        guard isHost else {
            reader.report(
                FaultCatalogue.unknownValue,
                node.mark,
                "host is a host name or an IP address; this is \(reader.quoted(host, node.mark))"
            )
            return nil
        }
        return host
    }

    private func tls(_ node: YAMLNode) -> AccountConfiguration.Connect.TLS? {
        guard let text = reader.text(node, "tls") else { return nil }
        if ["off", "no", "none", "false", "plain", "disabled"].contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
            reader.report(
                FaultCatalogue.tlsNeeded, node.mark, "there is no way to connect without TLS; use starttls or direct")
            return nil
        }
        return reader.choice(node, "tls", AccountConfiguration.Connect.TLS.allCases.map(\.rawValue))
            .flatMap { AccountConfiguration.Connect.TLS(rawValue: $0) }
    }

    /// The pins of a list, each once.
    private func pins(_ node: YAMLNode) -> [[UInt8]] {
        guard let items = reader.sequence(node, "pins", example: "[ sha256/BASE64 ]") else { return [] }
        guard !items.isEmpty else {
            // Whoever writes an empty list means to pin something, and nothing would be checked.
            reader.report(FaultCatalogue.badPin, node.mark, "pins is empty: name a pin, or leave the key out")
            return []
        }
        var pins: [[UInt8]] = []
        for item in items.prefix(Self.mostPins) {
            guard let text = reader.text(item, "a pin") else { continue }
            let prefix = "sha256/"
            let digest = text.hasPrefix(prefix) ? Base64.decode(String(text.dropFirst(prefix.count))) : nil
            guard let digest, digest.count == 32 else {
                reader.report(
                    FaultCatalogue.badPin,
                    item.mark,
                    "a pin is sha256/ and the Base64 of the 32 bytes of a public key's digest; "
                        + "this is \(reader.quoted(text, item.mark))"
                )
                continue
            }
            if !pins.contains(digest) { pins.append(digest) }
        }
        if items.count > Self.mostPins {
            reader.report(FaultCatalogue.outOfRange, node.mark, "pins has more than \(Self.mostPins) entries")
        }
        return pins
    }

    private static let mostPins = 32

    // MARK: Password

    /// Its messages never have a value: it may be the password in the wrong place.
    func password(_ node: YAMLNode) -> SecretPlace? {
        switch node.content {
        case .mapping(let map): return password(map, at: node.mark)
        case .invalid: return nil
        case .scalar, .sequence:
            reader.report(
                node.isNull ? FaultCatalogue.missingValue : FaultCatalogue.passwordShape,
                node.mark,
                "password says where the password is, such as { file: secrets/support }; it never stands here itself"
            )
            return nil
        }
    }

    private func password(_ map: [YAMLEntry], at mark: YAMLMark) -> SecretPlace? {
        let entries = reader.entries(map, of: AccountReader.passwordSchema, at: mark)
        let keys = SecretShape.keys.filter { entries[$0] != nil }
        guard let key = keys.first, let entry = entries[key], keys.count == 1 else {
            if reader.isComplete, keys.count > 1 || map.isEmpty {
                reader.report(
                    FaultCatalogue.passwordShape,
                    mark,
                    "password has one of file, env, credential and command; this has \(keys.count)"
                )
            }
            return nil
        }
        return source(key, entry.value).map { SecretPlace(source: $0, mark: entry.value.mark, reader: reader) }
    }

    private func source(_ key: String, _ node: YAMLNode) -> SecretSource? {
        switch key {
        case "file": return reader.text(node, "file").map { .file(path: reader.resolveAbsolute($0)) }
        case "env":
            guard let name = reader.text(node, "env", limit: 256) else { return nil }
            guard SecretShape.isVariable(name) else {
                reader.report(
                    FaultCatalogue.passwordShape,
                    node.mark,
                    "env is the name of a variable: letters (a to z), digits and '_', and no digit first"
                )
                return nil
            }
            return .environment(name: name)
        case "credential":
            guard let name = reader.text(node, "credential", limit: 255) else { return nil }
            guard SecretShape.isCredential(name) else {
                reader.report(FaultCatalogue.passwordShape, node.mark, "credential is a name without '/'")
                return nil
            }
            return .credential(name: name)
        default: return command(node)
        }
    }

    private func command(_ node: YAMLNode) -> SecretSource? {
        guard case .sequence(let items) = node.content, !items.isEmpty else {
            if case .invalid = node.content { return nil }
            reader.report(
                FaultCatalogue.passwordShape,
                node.mark,
                "command is a list: the program and its arguments; no shell reads it"
            )
            return nil
        }
        var words: [String] = []
        for item in items {
            if case .invalid = item.content { return nil }
            // An argument may be empty, so it is no `text`.
            guard case .scalar(let text, _) = item.content, !item.isNull else {
                reader.report(FaultCatalogue.passwordShape, item.mark, "an argument of command is a text")
                return nil
            }
            words.append(text)
        }
        guard let program = words.first, !program.isEmpty else {
            reader.report(FaultCatalogue.passwordShape, node.mark, "command begins with a program")
            return nil
        }
        if program.utf8.contains(UInt8(ascii: "/")) { words[0] = reader.resolveAbsolute(program) }
        return .command(words)
    }
}
