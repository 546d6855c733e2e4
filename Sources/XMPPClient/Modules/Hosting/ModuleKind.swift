import XMPPCore

/// A type of module, as a program lists it.
package struct ModuleKind: Sendable {
    package let type: any XMPPModule.Type
    package let name: String
    package let interests: ModuleInterests
    package let namespaces: [String]
    package let features: [String]
    private let read: @Sendable (any Decoder) throws -> @Sendable () throws -> any XMPPModule

    package init<Module: XMPPModule>(_ type: Module.Type) {
        self.type = type
        name = type.name
        interests = type.interests
        namespaces = type.namespaces
        features = type.features
        read = { decoder in
            let settings = try Module.Settings(from: decoder)
            return { try Module(settings: settings) }
        }
    }

    /// One with its settings, ready to be made.
    package func prepared(from decoder: any Decoder) throws -> PreparedModule {
        PreparedModule(kind: self, digest: "", make: try read(decoder))
    }
}

/// A module with its settings.
package struct PreparedModule: Sendable {
    package let kind: ModuleKind
    /// Of what the configuration says of it: another one is another module.
    package var digest: String
    /// Why it is not run, where it is not to be.
    package var disabled: String?
    /// Makes an instance; never on a loop.
    package let make: @Sendable () throws -> any XMPPModule

    package init(kind: ModuleKind, digest: String, make: @escaping @Sendable () throws -> any XMPPModule) {
        (self.kind, self.digest, self.make) = (kind, digest, make)
    }

    /// Whether the other is the same module with the same settings.
    func isSame(as other: PreparedModule) -> Bool {
        sameBytes(kind.name, other.kind.name) && sameBytes(digest, other.digest) && disabled == other.disabled
    }

    /// One whose settings a program has at hand.
    package init<Module: XMPPModule>(_ type: Module.Type, settings: Module.Settings) {
        self.init(kind: ModuleKind(type), digest: "", make: { try Module(settings: settings) })
    }
}
