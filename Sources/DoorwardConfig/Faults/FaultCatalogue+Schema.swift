/// The faults of structure: keys and values that do not fit their place.
extension FaultCatalogue {
    static let unknownCondition = FaultKind(
        "DW012",
        "unknown condition",
        "No condition of the policy language has this name."
    )
    static let unknownKey = FaultKind(
        "DW020",
        "unknown key",
        "The key has no meaning here. Often it is misspelt, or indented wrongly."
    )
    static let missingKey = FaultKind(
        "DW021",
        "missing key",
        "The key is needed here."
    )
    static let missingValue = FaultKind(
        "DW022",
        "missing value",
        "The key has no value; often what belongs to it is indented wrongly."
    )
    static let wrongType = FaultKind(
        "DW023",
        "wrong type",
        "A text, a list or a map is needed here, and something else stands there."
    )
    static let notABoolean = FaultKind(
        "DW024",
        "not a boolean",
        "A boolean is true or false, without quotes; yes, no, on and off are texts."
    )
    static let notAnInteger = FaultKind(
        "DW025",
        "not an integer",
        "A whole number is written in decimal digits, without leading zeros and without quotes."
    )
    static let outOfRange = FaultKind(
        "DW026",
        "out of range",
        "The value is too small, too large, too long or too many."
    )
    static let notADuration = FaultKind(
        "DW027",
        "not a duration",
        "A duration is a whole number with s, m, h, d or w: 30s, 12h."
    )
    static let unknownValue = FaultKind(
        "DW028",
        "unknown value",
        "The value is none of those that may stand here."
    )
    static let notBuiltYet = FaultKind(
        "DW029",
        "not built yet",
        "This is part of the design, and this version does not have it yet. Nothing is ignored without a word."
    )
    static let unsupportedVersion = FaultKind(
        "DW030",
        "version not supported",
        "This program reads version 1."
    )
    static let notAnAddress = FaultKind(
        "DW031",
        "not an address",
        "An XMPP address has the form name@host.example."
    )
    static let badPattern = FaultKind(
        "DW032",
        "bad value to compare with",
        "The value can never be equal to an address as they are compared (RFC 7622)."
    )
    static let patternTooWide = FaultKind(
        "DW033",
        "pattern matches more than it seems",
        "'*corp.example' also matches 'evilcorp.example'; '*.corp.example' does not.",
        severity: .warning
    )
    static let patternOnlyServers = FaultKind(
        "DW034",
        "pattern matches servers only",
        "'*' does not cross an '@'; a pattern without '@' matches only addresses that have none. '*@*' matches every account.",
        severity: .warning
    )
    static let badName = FaultKind(
        "DW035",
        "bad name",
        "The name would be mistaken for something else, or cannot be shown."
    )
    static let tooManyFaults = FaultKind(
        "DW036",
        "too many faults",
        "Only the first faults of this file are shown."
    )

    static let tooManyWarnings = FaultKind(
        "DW037",
        "too many warnings",
        "Only the first warnings of this file are shown.",
        severity: .warning
    )

    static let ofSchema: [FaultKind] = [
        unknownCondition, unknownKey, missingKey, missingValue, wrongType, notABoolean, notAnInteger,
        outOfRange, notADuration, unknownValue, notBuiltYet, unsupportedVersion, notAnAddress, badPattern,
        patternTooWide, patternOnlyServers, badName, tooManyFaults, tooManyWarnings,
    ]
}
