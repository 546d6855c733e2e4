public import XMPPCore

extension Namespace {
    /// Publishing and asking for what is published (XEP-0060).
    public static let pubSub = "http://jabber.org/protocol/pubsub"
    /// What nodes tell those who listen (XEP-0060 section 7.1.2.1).
    public static let pubSubEvent = "http://jabber.org/protocol/pubsub#event"
    /// What only the owner of a node may ask (XEP-0060 section 8).
    public static let pubSubOwner = "http://jabber.org/protocol/pubsub#owner"
    /// What a publisher demands of a node: the FORM_TYPE, and the feature of a server that heeds it.
    public static let publishOptions = "http://jabber.org/protocol/pubsub#publish-options"
    /// The FORM_TYPE of a node's configuration (XEP-0060 section 8.2).
    public static let nodeConfiguration = "http://jabber.org/protocol/pubsub#node_config"
}
