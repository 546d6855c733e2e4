import DoorwardConfig
import XMPPClient

extension ModuleRegistry.Entry {
    /// A type of module: its settings are read by itself.
    init(_ type: any XMPPModule.Type) {
        let kind = ModuleKind(type)
        self.init(name: kind.name) { try kind.prepared(from: $0) }
    }
}
