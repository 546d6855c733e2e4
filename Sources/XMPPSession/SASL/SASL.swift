import XMPPCore

/// The elements of SASL (RFC 6120 section 6.4).
enum SASL {
    static func auth(_ mechanism: SCRAM.Mechanism, _ initial: [UInt8]) -> [UInt8] {
        // A zero-length initial response is "=", to tell it from none (section 6.4.2).
        element("auth", [.init("mechanism", mechanism.rawValue)], initial.isEmpty ? "=" : Base64.encode(initial))
    }

    static func response(_ bytes: [UInt8]) -> [UInt8] {
        element("response", [], Base64.encode(bytes))
    }

    /// The data of a challenge or success: "=" and nothing are both zero bytes.
    ///
    /// Nil where it is not base64.
    static func data(of element: Element) -> [UInt8]? {
        let text = element.text
        return text.utf8.elementsEqual("=".utf8) ? [] : Base64.decode(text)
    }

    private static func element(_ name: String, _ attributes: [Element.Attribute], _ text: String) -> [UInt8] {
        Element(
            name,
            namespace: Namespace.sasl,
            attributes: attributes,
            children: text.isEmpty ? [] : [.text(text)]
        ).serialized(inside: Namespace.client)
    }
}
