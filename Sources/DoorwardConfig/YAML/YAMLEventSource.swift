import CLibYAML

/// What libyaml sees, one thing after the other.
enum YAMLEvent {
    case documentStart(hasDirectives: Bool)
    case alias(String)
    case scalar(text: [UInt8], isPlain: Bool, anchor: String?, hasTag: Bool)
    case sequenceStart(anchor: String?, hasTag: Bool)
    case mappingStart(anchor: String?, hasTag: Bool)
    case collectionEnd
    case streamEnd
    /// Of no interest: the begin of the stream, the end of a document.
    case other
}

/// Why libyaml reads no further.
struct YAMLProblem: Error {
    var problem: String
    var context: String
    var mark: YAMLMark
    /// Where what it was reading begins.
    var contextMark: YAMLMark
}

/// libyaml's event parser.
final class YAMLEventSource {
    // The parser holds pointers into itself, so it must not move.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter bytes: UTF-8 without a byte order mark.
    init?(_ bytes: ArraySlice<UInt8>) {
        parser = .allocate(capacity: 1)
        input = .allocate(capacity: max(bytes.count, 1))
        _ = input.initialize(from: bytes)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            input.deallocate()
            return nil
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next event, where it begins, and where it ends.
    func next() throws(YAMLProblem) -> (event: YAMLEvent, mark: YAMLMark, end: YAMLMark) {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
        defer { yaml_event_delete(&event) }
        return (YAMLEventSource.value(of: event), YAMLMark(event.start_mark), YAMLMark(event.end_mark))
    }

    private static func value(of event: yaml_event_t) -> YAMLEvent {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let start = event.data.document_start
            return .documentStart(
                hasDirectives: start.version_directive != nil || start.tag_directives.start != start.tag_directives.end
            )
        case YAML_ALIAS_EVENT: return .alias(text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            return .scalar(
                text: Array(UnsafeBufferPointer(start: scalar.value, count: scalar.length)),
                isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
                anchor: text(scalar.anchor),
                hasTag: scalar.tag != nil
            )
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return .sequenceStart(anchor: text(start.anchor), hasTag: start.tag != nil)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return .mappingStart(anchor: text(start.anchor), hasTag: start.tag != nil)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .collectionEnd
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .streamEnd
        default: return .other
        }
    }

    private static func text(_ pointer: UnsafePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private func problem() -> YAMLProblem {
        let parser = parser.pointee
        return YAMLProblem(
            problem: parser.problem.map { String(cString: $0) } ?? "not enough memory",
            context: parser.context.map { String(cString: $0) } ?? "",
            mark: YAMLMark(parser.problem_mark),
            contextMark: YAMLMark(parser.context_mark)
        )
    }
}

extension YAMLMark {
    /// Turns libyaml's places, which count from 0.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) &+ 1, column: Int(clamping: mark.column) &+ 1)
    }
}
