/// The faults of the configuration and of bots.
extension FaultCatalogue {
    static let badStore = FaultKind(
        "DW060",
        "bad store",
        "The store is written sqlite:PATH."
    )
    static let controlPathTooLong = FaultKind(
        "DW061",
        "control path too long",
        "A Unix socket has a path of at most 107 bytes."
    )
    static let noMatch = FaultKind(
        "DW062",
        "nothing matches",
        "No file matches the pattern.",
        severity: .warning
    )
    static let noAccounts = FaultKind(
        "DW063",
        "no accounts",
        "Without an account there is nothing to run."
    )
    static let duplicateAccount = FaultKind(
        "DW064",
        "account twice",
        "An account belongs to one bot, once."
    )
    static let unknownPolicy = FaultKind(
        "DW065",
        "unknown policy",
        "No file under policies has this name."
    )
    static let duplicatePolicy = FaultKind(
        "DW066",
        "policy name twice",
        "Each policy has its own name."
    )
    static let noPolicy = FaultKind(
        "DW067",
        "account without policy",
        "Nothing is accepted without a rule or a person: name a policy at the account, at the bot or under defaults."
    )
    static let duplicateBot = FaultKind(
        "DW068",
        "bot name twice",
        "Each bot has its own name."
    )
    static let operatorWithoutAccess = FaultKind(
        "DW069",
        "operator without access",
        "An operator is known by user (on this machine), by jid, or by both."
    )
    static let duplicateOperator = FaultKind(
        "DW070",
        "operator twice",
        "A name, user or jid belongs to one operator."
    )
    static let secretMissing = FaultKind(
        "DW071",
        "secret missing",
        "The account is parked at run until the file is there.",
        severity: .warning
    )
    static let secretOpen = FaultKind(
        "DW072",
        "secret open to others",
        "The account is parked at run until nobody else can read the file: chmod 600.",
        severity: .warning
    )
    static let passwordShape = FaultKind(
        "DW073",
        "bad password source",
        "A password never stands in a file of ours; a map says where it comes from."
    )
    static let caFileMissing = FaultKind(
        "DW074",
        "CA file missing",
        "The account cannot connect until the file is there.",
        severity: .warning
    )
    static let unknownOverlayAccount = FaultKind(
        "DW075",
        "unknown account in the overlay",
        "An overlay changes accounts that a bot has; it adds none."
    )
    static let tlsNeeded = FaultKind(
        "DW076",
        "TLS is always used",
        "There is no way to connect without TLS."
    )
    static let secretSize = FaultKind(
        "DW077",
        "secret empty or too long",
        "The account is parked at run until the password stands in the file's first line, with at most 4096 bytes.",
        severity: .warning
    )
    static let unknownUser = FaultKind(
        "DW078",
        "unknown Unix user",
        "The control socket knows an operator by the Unix user, and this machine has none of this name.",
        severity: .warning
    )
    static let nameOfAnotherUser = FaultKind(
        "DW079",
        "operator with another user's name",
        "The journal calls the operator by a name that is another Unix user's on this machine: who it was cannot be told.",
        severity: .warning
    )
    static let badPin = FaultKind(
        "DW080",
        "bad pin",
        "A pin is sha256/ and the Base64 of the SHA-256 digest of a public key (SubjectPublicKeyInfo)."
    )
    static let certificateMissing = FaultKind(
        "DW081",
        "certificate or key missing",
        "The account is parked at run until both files are there.",
        severity: .warning
    )
    static let keyOpen = FaultKind(
        "DW082",
        "key open to others",
        "The account is parked at run until nobody else can read the key: chmod 600.",
        severity: .warning
    )

    static let badAvatar = FaultKind(
        "DW097",
        "bad avatar",
        "An avatar is a file with a PNG, JPEG, GIF or WebP picture of at most 65,536 bytes; 96 by 96 pixels are plenty."
    )

    static let ofConfiguration: [FaultKind] = [
        badStore, controlPathTooLong, noMatch, noAccounts, duplicateAccount, unknownPolicy, duplicatePolicy,
        noPolicy, duplicateBot, operatorWithoutAccess, duplicateOperator, secretMissing, secretOpen,
        passwordShape, caFileMissing, unknownOverlayAccount, tlsNeeded, secretSize, unknownUser, nameOfAnotherUser,
        badPin, certificateMissing, keyOpen, badAvatar,
    ]
}
