import CExpat

/// The same events as `streamEvents`, read by Expat in namespace mode.
///
/// What XMPP forbids and XML allows (RFC 6120 section 11) fails here too.
final class ExpatReader {
    private(set) var events: [String] = []
    private(set) var hasFailed = false
    /// Expat found a character that it does not take where it stands.
    private(set) var isInvalidToken = false

    private let parser: XML_Parser?
    private var depth = 0
    private var open: [String] = []
    private var text: [UInt8] = []
    private var isClosed = false

    /// Stands between a namespace and a local name; no XML text can hold it.
    private static let separator: UInt8 = 1

    init(_ bytes: [UInt8]) {
        parser = XML_ParserCreateNS("UTF-8", XML_Char(Self.separator))
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { data, name, attributes in reader(data)?.started(name, attributes) },
            { data, _ in reader(data)?.ended() })
        XML_SetCharacterDataHandler(parser) { data, bytes, count in
            reader(data)?.found(UnsafeBufferPointer(start: bytes, count: Int(count)).map { UInt8(bitPattern: $0) })
        }
        XML_SetCommentHandler(parser) { data, _ in reader(data)?.fail() }
        XML_SetProcessingInstructionHandler(parser) { data, _, _ in reader(data)?.fail() }
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in reader(data)?.fail() }
        let status = bytes.withUnsafeBytes { buffer in
            XML_Parse(parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(buffer.count), 0)
        }
        if status != XML_STATUS_OK, !isClosed {
            isInvalidToken = XML_GetErrorCode(parser) == XML_ERROR_INVALID_TOKEN
            fail()
        }
    }

    deinit {
        XML_ParserFree(parser)
    }

    private func fail() {
        hasFailed = true
        XML_StopParser(parser, XML_Bool(0))
    }

    private func started(
        _ name: UnsafePointer<XML_Char>?, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard !hasFailed, !isClosed, let name else { return }
        flush()
        depth += 1
        var words = "<" + qualified(name)
        var index = 0
        while let attributes, let name = attributes[index], let value = attributes[index + 1] {
            words += " " + qualified(name) + "=" + quoted(String(cString: value))
            index += 2
        }
        if depth == 1 { events.append("opened \(words)>") } else { open.append(words) }
    }

    private func ended() {
        guard !hasFailed, !isClosed else { return }
        flush()
        depth -= 1
        guard let words = open.popLast() else {
            isClosed = true
            events.append("closed")
            XML_StopParser(parser, XML_Bool(0))
            return
        }
        if open.isEmpty { events.append("element \(words)>") } else { open[open.count - 1] += words + ">" }
    }

    private func found(_ bytes: [UInt8]) {
        guard !hasFailed, !isClosed else { return }
        if depth > 1 {
            text += bytes
        } else if !bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
            fail()
        }
    }

    private func flush() {
        guard !text.isEmpty, !open.isEmpty else { return }
        open[open.count - 1] += quoted(String(decoding: text, as: UTF8.self))
        text = []
    }

    private func qualified(_ name: UnsafePointer<XML_Char>) -> String {
        let parts = String(cString: name).utf8.split(separator: Self.separator, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        return parts.count == 2 ? quoted(parts[0]) + quoted(parts[1]) : quoted("") + quoted(parts[0])
    }

    private func quoted(_ text: String) -> String { "\(text.utf8.count):\(text)" }
}

private func reader(_ data: UnsafeMutableRawPointer?) -> ExpatReader? {
    data.map { Unmanaged<ExpatReader>.fromOpaque($0).takeUnretainedValue() }
}
