/// Writes a name server's answer, right or wrong.
struct DNSAnswer {
    enum Code: UInt8 {
        case noError = 0
        case formatError = 1
        case serverFailure = 2
        case noSuchName = 3
        case notImplemented = 4
        case refused = 5
    }

    var id: UInt16 = 1
    var name: String
    var type: UInt16
    var code = Code.noError
    var isTruncated = false
    var records: [[UInt8]] = []
    /// Said to be there; `nil`: as many as there are.
    var recordCount: UInt16?

    static let a: UInt16 = 1
    static let aaaa: UInt16 = 28
    static let srv: UInt16 = 33
    static let cname: UInt16 = 5

    init(_ name: String, _ type: UInt16, code: Code = .noError, records: [[UInt8]] = []) {
        self.name = name
        self.type = type
        self.code = code
        self.records = records
    }

    var bytes: [UInt8] {
        var bytes = Self.number(id) + [0x81 | (isTruncated ? 2 : 0), 0x80 | code.rawValue]
        bytes += Self.number(1) + Self.number(recordCount ?? UInt16(records.count)) + [0, 0, 0, 0]
        bytes += Self.encoded(name) + Self.number(type) + Self.number(1)
        return bytes + records.flatMap { $0 }
    }

    static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    static func encoded(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    /// A record of the name in the question, or of another one.
    static func record(_ type: UInt16, _ data: [UInt8], owner: [UInt8] = [0xC0, 12], class: UInt16 = 1) -> [UInt8] {
        owner + number(type) + number(`class`) + [0, 0, 0, 60] + number(UInt16(data.count)) + data
    }

    static func service(
        _ priority: UInt16, _ weight: UInt16, _ port: UInt16, _ target: String, owner: [UInt8] = [0xC0, 12]
    ) -> [UInt8] {
        record(srv, number(priority) + number(weight) + number(port) + encoded(target), owner: owner)
    }
}
