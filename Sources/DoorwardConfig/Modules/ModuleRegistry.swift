/// The modules that this program has: their names, and how their settings are read.
///
/// What the settings are is known to the modules alone.
package struct ModuleRegistry: Sendable {
    /// One of them.
    package struct Entry: Sendable {
        package let name: String
        /// Reads the settings, by a decoder that knows places; what it throws becomes a fault.
        package let read: @Sendable (any Decoder) throws -> any Sendable

        package init(name: String, read: @escaping @Sendable (any Decoder) throws -> any Sendable) {
            self.name = name
            self.read = read
        }
    }

    package let entries: [Entry]

    /// A registry; where two have the same name, the first one has it.
    package init(_ entries: [Entry] = []) { self.entries = entries }

    package var names: [String] { entries.map(\.name) }

    package func entry(_ name: String) -> Entry? {
        entries.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

/// A module of an account, as the files have it.
package struct ModuleConfiguration: Sendable {
    package var name: String
    /// What the registry made of its settings.
    package var settings: any Sendable
    /// Of all that its settings say: other settings, another digest.
    package var digest: String

    package init(name: String, settings: any Sendable, digest: String) {
        self.name = name
        self.settings = settings
        self.digest = digest
    }
}

extension [ModuleConfiguration] {
    /// The modules of a bot for an account of it: what the account says of a module is instead of what the bot says.
    func overridden(by own: [ModuleConfiguration]) -> [ModuleConfiguration] {
        func isSame(_ left: ModuleConfiguration, _ right: ModuleConfiguration) -> Bool {
            left.name.utf8.elementsEqual(right.name.utf8)
        }
        let kept = map { module in own.first { isSame($0, module) } ?? module }
        return kept + own.filter { module in !contains { isSame($0, module) } }
    }
}

extension ModuleConfiguration: Hashable {
    package static func == (left: ModuleConfiguration, right: ModuleConfiguration) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.digest.utf8.elementsEqual(right.digest.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Array(name.utf8))
        hasher.combine(digest)
    }
}
