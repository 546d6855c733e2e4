import XMPPCore

/// The configuration file of a private Prosody 0.12: loopback only, no server-to-server, nothing else listens.
struct ProsodyConfiguration {
    struct Host {
        var domain: String
        var certificate: String
        var key: String
    }

    /// What a client such as ours needs; several hosts of one Prosody talk to each other without a network.
    static let modules = ["disco", "roster", "saslauth", "tls", "blocklist", "ping", "private"]

    var port: UInt16
    var folder: String
    var hosts: [Host]
    var runsAsRoot: Bool

    var text: String {
        let modules = Self.modules.map(Self.quoted).joined(separator: "; ")
        var text = """
            -- Written by Doorward for its own use on this machine; written anew at each start.
            \(runsAsRoot ? "run_as_root = true" : "-- not root")
            data_path = \(Self.quoted(folder + "/data"))
            interfaces = { "127.0.0.1" }
            local_interfaces = { "127.0.0.1" }
            c2s_ports = { \(port) }
            c2s_direct_tls_ports = {}
            s2s_ports = {}
            s2s_direct_tls_ports = {}
            http_ports = {}
            https_ports = {}
            component_ports = {}
            network_settings = { read_timeout = 840; tcp_backlog = 1024 }
            modules_enabled = { \(modules) }
            modules_disabled = { "s2s" }
            c2s_require_encryption = true
            authentication = "internal_hashed"
            storage = "internal"
            allow_registration = false
            log = { { levels = { min = "info" }; to = "file"; filename = \(Self.quoted(folder + "/prosody.log")) } }

            """
        for host in hosts {
            text += """
                VirtualHost \(Self.quoted(host.domain))
                  ssl = { key = \(Self.quoted(host.key)); certificate = \(Self.quoted(host.certificate)) }

                """
        }
        return text
    }

    /// A Lua string: every byte that could end it, or that is no printable ASCII, by its number.
    static func quoted(_ value: String) -> String {
        var text = "\""
        for byte in value.utf8 {
            let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte)
                text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return text + "\""
    }
}
