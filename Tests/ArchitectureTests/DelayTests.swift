import Testing

@Suite("Stamps of delays")
struct DelayTests {
    /// Where one day a delay's stamp is read, it needs bounds, and a rule whose stamp counts.
    @Test("are read by no code (B044, CVE-2013-6477)")
    func delays() throws {
        for file in try SourceTree.files(under: "Sources") {
            for name in ["urn:xmpp:delay", "jabber:x:delay"] where file.text.contains(name) {
                for (index, line) in file.code.enumerated() where line.contains(name) {
                    Issue.record("\(file.path):\(index + 1)")
                }
            }
        }
    }
}
