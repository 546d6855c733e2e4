public import XMPPCore

/// The payload of a ping (XEP-0199).
public enum PingPayload {
    /// Asks whether the other side is there.
    public static func get() -> Element { Element("ping", namespace: Namespace.ping) }
}
