/// Why a text is no JSON document, or one that is not taken.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        let text: String

        package static let notUTF8 = Code(text: "not UTF-8")
        package static let syntax = Code(text: "not JSON")
        package static let tooDeep = Code(text: "nested too deeply")
        package static let duplicateKey = Code(text: "a key stands twice in an object")
        package static let trailing = Code(text: "something after the end of the document")
    }

    package var code: Code
    /// The byte at which it was noticed, from 0.
    package var offset: Int

    package var description: String { "\(code.text) (at byte \(offset))" }
}
