/// A `login`, and where the file has it.
struct LoginPlace {
    var login: AccountConfiguration.Login
    /// Where the certificate's files are named.
    var certificateMark: YAMLMark?
    var keyMark: YAMLMark?
    var reader: FileReader
}

/// Reads how an account logs in.
struct LoginReader {
    private static let schema = Schema(
        "login",
        keys: ["channel_binding", "plain", "iterations", "certificate"],
        synonyms: [
            "binding": "channel_binding", "scram": "iterations", "cert": "certificate", "external": "certificate",
        ]
    )
    private static let iterationsSchema = Schema("iterations", keys: ["min", "max"])
    private static let certificateSchema = Schema(
        "certificate",
        keys: ["file", "key"],
        required: ["file", "key"],
        synonyms: ["cert": "file", "key_file": "key", "private_key": "key"]
    )

    /// What may be written as a bound of the iterations: a server that asked for more would hold the account up.
    private static let iterationRange = 1000...10_000_000

    let reader: FileReader

    func login(_ node: YAMLNode) -> LoginPlace? {
        guard let map = reader.mapping(node, "login", example: "{ channel_binding: required }") else { return nil }
        let entries = reader.entries(map, of: Self.schema, at: node.mark)
        var place = LoginPlace(login: AccountConfiguration.Login(), reader: reader)
        if let entry = entries["channel_binding"] {
            let word = reader.choice(entry.value, "channel_binding", ["preferred", "required"])
            place.login.requiresChannelBinding = word == "required"
        }
        if let entry = entries["plain"] {
            place.login.allowsPlain = reader.choice(entry.value, "plain", ["never", "allowed"]) == "allowed"
        }
        if let entry = entries["iterations"], let bounds = iterations(entry.value) { place.login.iterations = bounds }
        if let entry = entries["certificate"] { readCertificate(entry.value, into: &place) }
        return place
    }

    private func iterations(_ node: YAMLNode) -> ClosedRange<Int>? {
        guard let map = reader.mapping(node, "iterations", example: "{ min: 4096, max: 100000 }") else { return nil }
        let entries = reader.entries(map, of: Self.iterationsSchema, at: node.mark)
        let usual = AccountConfiguration.Login().iterations
        var (least, most) = (usual.lowerBound, usual.upperBound)
        if let entry = entries["min"] {
            guard let number = reader.integer(entry.value, "min", in: Self.iterationRange) else { return nil }
            least = number
        }
        if let entry = entries["max"] {
            guard let number = reader.integer(entry.value, "max", in: Self.iterationRange) else { return nil }
            most = number
        }
        guard least <= most else {
            reader.report(
                FaultCatalogue.outOfRange, node.mark,
                "min is \(least) and max is \(most), so no server could ever be logged in to")
            return nil
        }
        return least...most
    }

    private func readCertificate(_ node: YAMLNode, into place: inout LoginPlace) {
        let example = "{ file: certs/support.crt, key: certs/support.key }"
        guard let map = reader.mapping(node, "certificate", example: example) else { return }
        let entries = reader.entries(map, of: Self.certificateSchema, at: node.mark)
        let file = entries["file"].flatMap { reader.text($0.value, "file") }
        let key = entries["key"].flatMap { reader.text($0.value, "key") }
        guard let file, let key else { return }
        place.certificateMark = entries["file"]?.value.mark
        place.keyMark = entries["key"]?.value.mark
        place.login.certificate = AccountConfiguration.Login.Certificate(
            file: reader.resolveAbsolute(file), key: reader.resolveAbsolute(key))
    }
}
