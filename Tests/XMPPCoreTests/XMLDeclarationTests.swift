import Testing
import XMPPCore

/// The XML declaration in front of a stream (RFC 6120 sections 11.5 and 11.6, XML section 2.8).
@Suite("XML declaration")
struct XMLDeclarationTests {
    private static let header = XMLStreamParserTests.header.dropFirst(21)

    /// What the declaration and a whole stream behind it are read as, however the reads cut it.
    private func read(_ declaration: String) -> [XMLStreamEvent] {
        let bytes = Array((declaration + Self.header + "<message>+ADw-x/+AD4-\u{E9}\u{85}</message>").utf8)
        let whole = XMLStreamParser(limits: .beforeLogin).feed(bytes)
        for size in [1, 2, 3, 5, 7, 11, 22] {
            let parser = XMLStreamParser(limits: .beforeLogin)
            var events: [XMLStreamEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(events == whole, "\(declaration) in chunks of \(size)")
        }
        return whole
    }

    private let all: [XMLStreamEvent] = [
        .opened(XMLStreamParserTests.opened),
        .element(
            Element("message", namespace: Namespace.client, children: [.text("+ADw-x/+AD4-\u{E9}\u{85}")])),
    ]

    @Test(
        "one of UTF-8, in any case and either quotes, or of no encoding, is passed over; so is none",
        arguments: [
            "", "<?xml version='1.0'?>", "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='UTF-8'?>",
            "<?xml version='1.0' encoding='utf-8' ?>", "<?xml version=\"1.0\" encoding=\"Utf-8\"?>",
            "<?xml\n\tversion = '1.0'\r\n  encoding\t=\t\"uTF-8\"  ?>\n", "<?xml version='1.0' standalone='yes'?>",
            "<?xml version='1.0' encoding='UTF-8' standalone=\"no\"?>",
        ])
    func taken(declaration: String) {
        #expect(read(declaration) == all)
    }

    @Test(
        "an XML 1.x is read as XML 1.0, as the edition that RFC 6120 refers to says", arguments: ["1.1", "1.9", "1.42"])
    func laterVersions(version: String) {
        #expect(read("<?xml version='\(version)' encoding='UTF-8'?>") == all)
        // XML 1.1 could hold it.
        let text = "<?xml version='\(version)'?>" + Self.header + "<message>&#1;</message>"
        #expect(
            XMLStreamParser(limits: .normal).feed(Array(text.utf8))
                == [.opened(XMLStreamParserTests.opened), .failed(StreamError(.notWellFormed))])
    }

    @Test(
        "one of another encoding ends the stream in front of its header, whatever the bytes are",
        arguments: [
            "ISO-8859-1", "UTF-16", "UTF-16LE", "UTF-7", "US-ASCII", "utf8", "UTF-8x", "UTF", "U", "windows-1252",
            "EBCDIC-CP-US", "UCS-4",
        ])
    func otherEncodings(name: String) {
        for declaration in [
            "<?xml version='1.0' encoding='\(name)'?>", "<?xml version=\"1.0\" encoding=\"\(name)\"?>",
            "<?xml version='1.0'\n encoding = '\(name)' standalone='yes' ?>",
            "<?xml version='1.1' encoding='\(name)'?>",
        ] {
            #expect(read(declaration) == [.failed(StreamError(.unsupportedEncoding))])
        }
    }

    @Test(
        "one that is none is not well-formed",
        arguments: [
            "<?xml?>", "<?xml ?>", "<?xml version='2.0'?>", "<?xml version='1'?>", "<?xml version='1.'?>",
            "<?xml version=''?>", "<?xml version='1.0\"?>", "<?xml version=1.0?>", "<?xml version?>",
            "<?xml version='1.x'?>", "<?xml version='1.0'encoding='UTF-8'?>", "<?xml encoding='UTF-8'?>",
            "<?xml encoding='UTF-8' version='1.0'?>", "<?xml version='1.0' encoding=''?>",
            "<?xml version='1.0' encoding='8-UTF'?>", "<?xml version='1.0' encoding='UTF 8'?>",
            "<?xml version='1.0' version='1.0'?>", "<?xml version='1.0' encoding='UTF-8' encoding='UTF-16'?>",
            "<?xml version='1.0' standalone='maybe'?>", "<?xml version='1.0' standalone='no' encoding='UTF-8'?>",
            "<?xml version='1.0' Encoding='UTF-8'?>", "<?xml version='1.0' x='y'?>", "<?xml version='1.0'??>",
            "<?xml version='1.0'>?>", "<?xml version='1.0'/?>", "<?xml version='1.0' encoding='?>",
        ])
    func malformed(declaration: String) {
        #expect(read(declaration) == [.failed(StreamError(.notWellFormed))])
    }

    @Test(
        "another instruction in front of the stream is restricted XML, and so is one that only begins like it",
        arguments: [
            "<?pi?>", "<?x version='1.0'?>", "<?xml-stylesheet href='x'?>", "<?XML version='1.0'?>", "<?xmlversion?>",
        ])
    func otherInstructions(instruction: String) {
        #expect(read(instruction) == [.failed(StreamError(.restrictedXML))])
    }

    @Test("one that does not end is too long, however it goes on", arguments: [" ", "x", "version='1.0' ", "?"])
    func endless(filling: String) {
        let parser = XMLStreamParser(limits: .normal)
        var events = parser.feed(Array("<?xml ".utf8))
        var count = 0
        while events.isEmpty, count < 2000 {
            events = parser.feed(Array(filling.utf8))
            count += 1
        }
        #expect(events == [.failed(StreamError(.policyViolation))])
    }

    @Test("each stream of a connection has its own: behind a reset it is looked at again")
    func reset() {
        let parser = XMLStreamParser(limits: .beforeLogin)
        #expect(parser.feed(Array(("<?xml version='1.0'?>" + Self.header).utf8)).count == 1)
        parser.reset()
        #expect(
            parser.feed(Array(("<?xml version='1.0' encoding='ISO-8859-1'?>" + Self.header).utf8))
                == [.failed(StreamError(.unsupportedEncoding))])
        parser.reset()
        #expect(parser.feed(Array(("<?xml version='1.0' encoding='utf-8'?>" + Self.header).utf8)).count == 1)
    }
}
