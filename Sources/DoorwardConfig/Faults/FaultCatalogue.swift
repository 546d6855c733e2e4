/// Every kind of fault that a file can have, once.
package enum FaultCatalogue {
    /// In the order of their codes within each part.
    package static var all: [FaultKind] { ofYAML + ofSchema + ofPolicy + ofConfiguration }

    /// The kind with a code such as `DW012`, in any case.
    package static func kind(code: String) -> FaultKind? {
        let wanted = code.uppercased()
        return all.first { $0.code == wanted }
    }
}
