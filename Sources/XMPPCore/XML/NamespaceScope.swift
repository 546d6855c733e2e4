/// How many namespaces are declared by the open elements of a stanza.
///
/// libxml2 looks through all of them for each name. It keeps only elements that declare some, and the limits bound them.
struct NamespaceScope {
    private(set) var count = 0
    private var levels: [(level: Int, count: Int)] = []

    mutating func enter(_ level: Int, _ declared: Int) {
        levels.append((level, declared))
        count += declared
    }

    mutating func leave(_ level: Int) {
        guard let last = levels.last, last.level == level else { return }
        levels.removeLast()
        count -= last.count
    }
}
