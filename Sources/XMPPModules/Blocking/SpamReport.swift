public import XMPPCore

/// A report to the account's server that somebody was blocked for cause (XEP-0377).
///
/// It rides inside the item of a block, so there is none without one.
public struct SpamReport: Hashable, Sendable {
    /// For what.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Unwanted bulk messages or requests.
        case spam
        /// Threats, harassment and their like.
        case abuse
    }

    /// Most bytes of the text that are sent.
    public static let textLimit = 1024

    /// For what.
    public var reason: Reason
    /// Words for whoever reads it at the server; nil for none.
    public var text: String?

    /// A report.
    public init(_ reason: Reason, text: String? = nil) {
        self.reason = reason
        self.text = text
    }

    /// The `<report/>`.
    ///
    /// - Parameter namespace: The version that the server announced.
    /// - Returns: The element; in version 0 the reason is a child, later an attribute.
    public func element(namespace: String = Namespace.reporting) -> Element {
        var report = Element("report", namespace: namespace)
        if sameBytes(namespace, Namespace.reporting0) {
            report.children = [.element(Element(reason.rawValue, namespace: namespace))]
        } else {
            report.attributes = [.init("reason", "urn:xmpp:reporting:" + reason.rawValue)]
        }
        if let text = text.map(Self.bounded), !text.isEmpty {
            report.children.append(.element(Element("text", namespace: namespace, children: [.text(text)])))
        }
        return report
    }

    /// The longest beginning within the limit that ends between two scalars.
    private static func bounded(_ text: String) -> String {
        var bounded = ""
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= textLimit else { break }
            bounded.unicodeScalars.append(scalar)
        }
        return bounded
    }
}
