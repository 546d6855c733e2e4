/// The faults of bot authors' modules.
extension FaultCatalogue {
    package static let unknownModule = FaultKind(
        "DW095",
        "unknown module",
        "This program has no module of that name. Modules are Swift code, and belong to the program."
    )
    static let badSettings = FaultKind(
        "DW096",
        "settings that the module does not take",
        "The module itself says what is wrong with the value."
    )

    static let ofModules: [FaultKind] = [unknownModule, badSettings]
}
