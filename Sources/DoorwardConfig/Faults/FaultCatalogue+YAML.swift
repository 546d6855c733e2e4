/// The faults of a file's text, whatever it is for.
extension FaultCatalogue {
    static let fileUnreadable = FaultKind(
        "DW001",
        "file cannot be read",
        "The file is missing, is no regular file, or may not be read by this user. It has no line, so the place is 0:0."
    )
    static let fileTooLarge = FaultKind(
        "DW002",
        "file too large",
        "A YAML file may have 1 MiB, a list file 32 MiB. Put long lists into list files. Nothing of it was read, so the place is 0:0."
    )
    static let notUTF8 = FaultKind(
        "DW003",
        "not UTF-8",
        "Files are read as UTF-8. Save the file as UTF-8 in the editor."
    )
    static let controlCharacter = FaultKind(
        "DW004",
        "control character",
        "NUL and other invisible characters have no place in a file; in most cases they come from a copy."
    )
    static let emptyFile = FaultKind(
        "DW005",
        "empty file",
        "The file has no content (place 0:0), or only comments."
    )
    static let secondDocument = FaultKind(
        "DW006",
        "second document",
        "One file is one document: a line of three dashes must not begin another one."
    )
    static let yamlSyntax = FaultKind(
        "DW007",
        "not YAML",
        "The text does not follow the rules of YAML. What stands before the place is still checked."
    )
    static let tabCharacter = FaultKind(
        "DW008",
        "tab character",
        "YAML is indented with spaces; a tab character cannot be seen and is refused."
    )
    static let needsQuotes = FaultKind(
        "DW009",
        "value needs quotes",
        "Some characters have a meaning of their own in YAML. A value that begins with one is put in quotes."
    )
    static let yamlLimit = FaultKind(
        "DW010",
        "limit of the file",
        "Depth (128), values (50000), anchors (100) and aliases (100) have a bound, so that no file can stall the program."
    )
    static let unknownAlias = FaultKind(
        "DW011",
        "unknown alias",
        "An unquoted value that begins with '*' is an alias of YAML; nothing has this anchor. Addresses with '*' are quoted."
    )
    static let aliasToOpenNode = FaultKind(
        "DW013",
        "alias inside itself",
        "An alias may not stand inside the value that it names."
    )
    static let tag = FaultKind(
        "DW014",
        "tag",
        "Tags ('!name') are not used: what a value means follows from its place. A value that begins with '!' is quoted."
    )
    static let mergeKey = FaultKind(
        "DW015",
        "merge key",
        "'<<' is no part of YAML 1.2 and differs between programs. Write the keys out."
    )
    static let duplicateKey = FaultKind(
        "DW016",
        "duplicate key",
        "A key stands twice in one map; quoted and unquoted are the same key."
    )
    static let keyNotText = FaultKind(
        "DW017",
        "key is not text",
        "A key of a map must be text."
    )
    static let directive = FaultKind(
        "DW018",
        "directive",
        "Lines that begin with '%' are directives of YAML and are not used."
    )

    static let ofYAML: [FaultKind] = [
        fileUnreadable, fileTooLarge, notUTF8, controlCharacter, emptyFile, secondDocument, yamlSyntax,
        tabCharacter, needsQuotes, yamlLimit, unknownAlias, aliasToOpenNode, tag, mergeKey, duplicateKey,
        keyNotText, directive,
    ]
}
