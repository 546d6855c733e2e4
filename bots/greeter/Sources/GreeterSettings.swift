/// `modules: { greeter: { welcome: "Hello {name}" } }`.
package struct GreeterSettings: Decodable, Sendable {
    /// What is said to a new contact; `{name}` stands for its name.
    private let welcome: String

    package init(welcome: String) { self.welcome = welcome }

    private enum CodingKeys: CodingKey { case welcome }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        welcome = try container.decode(String.self, forKey: .welcome)
        // What is wrong is shown with its place by `doorward check`.
        guard !welcome.isEmpty, welcome.utf8.count <= 2_000 else {
            throw DecodingError.dataCorruptedError(
                forKey: .welcome, in: container, debugDescription: "a welcome has 1 to 2000 bytes")
        }
        // '{nam}' would be said as it stands.
        guard !welcome.replacing("{name}", with: "").contains(/\{[A-Za-z_]*\}/) else {
            throw DecodingError.dataCorruptedError(
                forKey: .welcome, in: container, debugDescription: "only {name} is filled in")
        }
    }

    /// The words for somebody.
    func welcome(_ name: String) -> String { welcome.replacing("{name}", with: String(name.prefix(100))) }
}
