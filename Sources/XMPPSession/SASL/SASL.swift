import XMPPCore

/// The elements of SASL in their two dialects: RFC 6120 section 6.4 and XEP-0388.
struct SASL: Sendable {
    let isSASL2: Bool

    private var namespace: String { isSASL2 ? Namespace.sasl2 : Namespace.sasl }

    /// The first element.
    ///
    /// - Parameters:
    ///   - mechanism: Its name.
    ///   - initial: The initial response, which each of our mechanisms has.
    ///   - children: What is asked for along with it; SASL2 only.
    /// - Returns: What goes on the wire.
    func start(_ mechanism: String, _ initial: [UInt8], _ children: [Element] = []) -> [UInt8] {
        let name: [Element.Attribute] = [.init("mechanism", mechanism)]
        guard isSASL2 else {
            // A zero-length initial response is "=", to tell it from none (section 6.4.2).
            return element("auth", name, [.text(initial.isEmpty ? "=" : Base64.encode(initial))])
        }
        let text: [Element.Node] = initial.isEmpty ? [] : [.text(Base64.encode(initial))]
        let response = Element("initial-response", namespace: namespace, children: text)
        return element("authenticate", name, [.element(response)] + children.map { .element($0) })
    }

    func response(_ bytes: [UInt8]) -> [UInt8] {
        element("response", [], bytes.isEmpty ? [] : [.text(Base64.encode(bytes))])
    }

    func abort() -> [UInt8] {
        element("abort", [], [])
    }

    func matches(_ element: Element, _ name: String) -> Bool {
        element.matches(name, namespace)
    }

    /// The text of the data that comes with success; nil where there is none.
    func successText(_ success: Element) -> String? {
        if isSASL2 { return success.first("additional-data", namespace)?.text }
        return success.text.isEmpty ? nil : success.text
    }

    /// The data of a challenge or success: "=" and nothing are both zero bytes.
    ///
    /// Nil where it is not base64.
    static func data(of text: String) -> [UInt8]? {
        text.utf8.elementsEqual("=".utf8) ? [] : Base64.decode(text)
    }

    private func element(_ name: String, _ attributes: [Element.Attribute], _ children: [Element.Node]) -> [UInt8] {
        Element(name, namespace: namespace, attributes: attributes, children: children)
            .serialized(inside: Namespace.client)
    }
}
