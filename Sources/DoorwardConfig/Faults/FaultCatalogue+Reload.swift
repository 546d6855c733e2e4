/// The faults of a reload, which are of no one place.
extension FaultCatalogue {
    package static let needsRestart = FaultKind(
        "DW091",
        "takes effect at the next start",
        "The store and the control socket stay as they are while the service runs.",
        severity: .warning
    )

    static let ofReload: [FaultKind] = [needsRestart]
}
