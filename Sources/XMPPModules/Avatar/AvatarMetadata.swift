public import XMPPCore

/// What an account says of its picture (XEP-0084 section 4.2): the same picture in one or more forms, or none.
public struct AvatarMetadata: Hashable, Sendable {
    /// One form of the picture.
    public struct Info: Hashable, Sendable {
        /// Its hash.
        public var hash: AvatarHash
        /// Its media type, as its publisher says.
        public var mediaType: String?
        /// Its bytes, as its publisher says.
        public var byteCount: Int?
        /// Where else it is.
        ///
        /// It is never fetched from there: that would tell a stranger's server who and where we are.
        public var url: String?

        /// One form of a picture.
        public init(_ image: AvatarImage) {
            hash = image.hash
            mediaType = image.format.mediaType
            byteCount = image.bytes.count
        }

        init?(_ element: Element) {
            guard element.matches("info", Namespace.avatarMetadata),
                let hash = element[attribute: "id"].flatMap({ AvatarHash($0) })
            else { return nil }
            self.hash = hash
            mediaType = element[attribute: "type"]
            byteCount = element[attribute: "bytes"].flatMap { Int($0) }
            url = element[attribute: "url"]
        }
    }

    /// Most forms that are read.
    public static let limit = 20

    /// The forms; none says that there is no picture.
    public var infos: [Info]

    /// Metadata to publish.
    ///
    /// - Parameter image: The picture; nil says that there is none (XEP-0084 section 4.2.1).
    public init(_ image: AvatarImage?) {
        infos = image.map { [Info($0)] } ?? []
    }

    /// Reads `<metadata/>`; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("metadata", Namespace.avatarMetadata) else { return nil }
        infos = element.elements.prefix(Self.limit).compactMap { Info($0) }
        hasUnreadable = infos.isEmpty && element.elements.contains { $0.matches("info", Namespace.avatarMetadata) }
    }

    /// Whether it lists pictures of which none can be named: that says neither that there is one nor that there is none.
    public private(set) var hasUnreadable = false

    /// The form to fetch: the first that is published at the data node, is not over the limit and is of a known type; PNG
    /// comes first, since everybody must publish it and the data node holds it (XEP-0084 section 4.1).
    ///
    /// - Parameter limit: How many bytes it may have.
    /// - Returns: Nil where there is none such.
    public func best(limit: Int = AvatarImage.limit) -> Info? {
        let known = infos.filter { info in
            guard info.url == nil, info.byteCount.map({ $0 > 0 && $0 <= limit }) ?? true else { return false }
            guard let type = info.mediaType else { return true }
            return AvatarImage.Format.allCases.contains { sameBytes($0.mediaType, type) }
        }
        return known.first { sameBytes($0.mediaType, AvatarImage.Format.png.mediaType) } ?? known.first
    }

    /// `<metadata/>`.
    public var element: Element {
        let infos = infos.map { info in
            var element = Element(
                "info", namespace: Namespace.avatarMetadata, attributes: [.init("id", info.hash.description)])
            if let count = info.byteCount { element.attributes.append(.init("bytes", String(count))) }
            if let type = info.mediaType { element.attributes.append(.init("type", type)) }
            if let url = info.url { element.attributes.append(.init("url", url)) }
            return Element.Node.element(element)
        }
        return Element("metadata", namespace: Namespace.avatarMetadata, children: infos)
    }
}

extension AvatarMetadata {
    /// What the items of a metadata node say.
    ///
    /// A node should hold one item. Where it holds several, the newest that names a picture under its own id counts before
    /// those that do not: empty ones were left behind by clients that did not take the old item back.
    ///
    /// - Parameter items: In the order of the service.
    /// - Returns: Nil where nothing readable is published.
    public static func current(in items: [PubSubItem]) -> AvatarMetadata? {
        let read = items.compactMap { item in
            item.payload.flatMap { AvatarMetadata($0) }.map { (id: item.id, metadata: $0) }
        }
        let own = read.last { item in
            item.metadata.infos.contains { info in item.id.flatMap { AvatarHash($0) } == info.hash }
        }
        return own?.metadata ?? read.last { !$0.metadata.infos.isEmpty }?.metadata ?? read.last?.metadata
    }
}

/// The payloads of the data node (XEP-0084 section 4.1).
public enum AvatarDataPayload {
    /// `<data/>` with a picture.
    public static func element(_ image: AvatarImage) -> Element {
        Element("data", namespace: Namespace.avatarData, children: [.text(Base64.encode(image.bytes))])
    }

    /// The bytes in it; nil where it is none, or is over the limit.
    public static func bytes(in element: Element?, limit: Int = AvatarImage.limit) -> [UInt8]? {
        guard let element, element.matches("data", Namespace.avatarData) else { return nil }
        return EncodedBytes.decode(element.text, limit: limit)
    }
}
