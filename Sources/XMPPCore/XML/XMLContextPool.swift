/// The contexts that connections to servers with the same stream header share: one pool an event loop.
///
/// Not thread-safe: it belongs to the isolation of the parsers that use it. What one connection's stanzas leave in a context
/// is a bounded table of names, which no other can see.
package final class XMLContextPool {
    /// The contexts at rest behind one header.
    final class Shelf {
        /// In one turn of a loop few stanzas are cut in the middle by the end of a read.
        private static let bound = 4

        let header: [UInt8]
        /// The default namespace that the header declares; empty where it declares none.
        let namespace: String
        // No checks of overlapping access at run time: contexts are put in and taken out, and nothing is called meanwhile.
        @exclusivity(unchecked) private var contexts: [XMLContext] = []

        init(_ header: [UInt8], namespace: String) {
            self.header = header
            self.namespace = namespace
        }

        func take() -> XMLContext? { contexts.popLast() }

        /// Takes back a context at rest, or drops it.
        func put(_ context: XMLContext) {
            if contexts.count < Self.bound { contexts.append(context) }
        }
    }

    /// Headers; streams with others share nothing.
    private static let bound = 64

    private var shelves: [[UInt8]: Shelf] = [:]
    /// Those of the stanzas that no context reads.
    let namespaces = PlainNamespaces()

    package init() {}

    /// Where contexts behind such a header are.
    func shelf(behind tag: StartTag) -> Shelf {
        let header = tag.headerBytes
        if let known = shelves[header] { return known }
        let shelf = Shelf(header, namespace: tag.defaultNamespace)
        if shelves.count < Self.bound { shelves[header] = shelf }
        return shelf
    }
}
