/// Every kind of fault that a file or a reload can have, once.
package enum FaultCatalogue {
    /// In the order of their codes within each part.
    package static var all: [FaultKind] { ofYAML + ofSchema + ofPolicy + ofConfiguration + ofReload + ofModules }
}
