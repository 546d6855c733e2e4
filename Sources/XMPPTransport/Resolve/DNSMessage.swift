/// A name server's answer (RFC 1035 section 4).
///
/// Every byte of it may be a stranger's choice: what cannot be read is an error, what is of no use is passed over, and
/// the work is bounded by the message's length.
struct DNSMessage {
    /// Why a message cannot be read.
    struct Malformed: Error {}

    private enum Kind {
        static let address: UInt16 = 1
        static let alias: UInt16 = 5
        static let address6: UInt16 = 28
        static let service: UInt16 = 33
        static let internet: UInt16 = 1
    }

    private struct Record {
        /// `nil` where it has other bytes than host names have.
        let owner: [UInt8]?
        let type: UInt16
        let data: Range<Int>
    }

    /// More records than this are not looked at.
    static let recordLimit = 1024
    /// Aliases followed from one name to the next.
    private static let aliasLimit = 8

    private let bytes: [UInt8]
    private var records: [Record] = []
    /// The name that the records must belong to: what was asked for, or what that is an alias of.
    private var name: [UInt8]?

    init(_ bytes: [UInt8]) throws(Malformed) {
        self.bytes = bytes
        var reader = DNSReader(bytes)
        try reader.skip(4)
        let questionCount = try reader.number16()
        let answerCount = try reader.number16()
        try reader.skip(4)
        guard questionCount == 1 else { throw Malformed() }
        name = try reader.name()
        try reader.skip(4)
        for _ in 0..<min(Int(answerCount), Self.recordLimit) {
            let owner = try reader.name()
            let type = try reader.number16()
            let recordClass = try reader.number16()
            try reader.skip(4)
            let length = Int(try reader.number16())
            let start = reader.position
            try reader.skip(length)
            guard recordClass == Kind.internet else { continue }
            records.append(Record(owner: owner, type: type, data: start..<start + length))
        }
        try followAliases()
    }

    /// A chain of CNAMEs is answered beside what it leads to; one without an end leads nowhere.
    private mutating func followAliases() throws(Malformed) {
        for _ in 0..<Self.aliasLimit {
            guard let alias = records.first(where: { $0.type == Kind.alias && $0.owner == name }) else { return }
            var reader = DNSReader(bytes, at: alias.data.lowerBound)
            name = try reader.name()
        }
        if records.contains(where: { $0.type == Kind.alias && $0.owner == name }) { throw Malformed() }
    }

    private func answers(_ type: UInt16) -> [Record] {
        guard let name else { return [] }
        return records.filter { $0.type == type && $0.owner == name }
    }

    /// The addresses of the name that was asked for.
    func addresses(_ family: IPFamily) -> [IPAddress] {
        let (type, count): (UInt16, Int) =
            switch family {
            case .v4: (Kind.address, 4)
            case .v6: (Kind.address6, 16)
            }
        return answers(type).filter { $0.data.count == count }.compactMap { IPAddress(bytes: bytes[$0.data]) }
    }

    /// The SRV records of the name that was asked for.
    ///
    /// Targets that no host can have as its name are passed over; where no other is left, the answer cannot be used.
    func services() throws(Malformed) -> [ServiceRecord] {
        let answers = answers(Kind.service)
        var services: [ServiceRecord] = []
        for answer in answers {
            guard answer.data.count >= 7 else { throw Malformed() }
            var reader = DNSReader(bytes, at: answer.data.lowerBound)
            let priority = try reader.number16()
            let weight = try reader.number16()
            let port = try reader.number16()
            guard let target = try reader.name() else { continue }
            guard reader.position <= answer.data.upperBound else { throw Malformed() }
            services.append(
                ServiceRecord(
                    priority: priority, weight: weight, target: String(decoding: target, as: UTF8.self), port: port))
        }
        if services.isEmpty && !answers.isEmpty { throw Malformed() }
        return services
    }
}

/// Reads numbers and names out of a message.
private struct DNSReader {
    private static let longestName = 255
    /// Pointers followed within one name; compression needs one for each label at most.
    private static let pointerLimit = 127

    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    mutating func skip(_ count: Int) throws(DNSMessage.Malformed) {
        guard count <= bytes.count - position else { throw DNSMessage.Malformed() }
        position += count
    }

    mutating func number16() throws(DNSMessage.Malformed) -> UInt16 {
        let start = position
        try skip(2)
        return UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
    }

    /// A name in lower case with dots between its labels, empty for the root; `nil` when it is none of a host or service
    /// (letters, digits, `-` and `_`), of which the labels' ends could not be told either.
    mutating func name() throws(DNSMessage.Malformed) -> [UInt8]? {
        var text: [UInt8] = []
        var isUsual = true
        var reading = position
        /// Where a pointer must lead before: this is what makes every chain of them end (RFC 1035 4.1.4).
        var bound = position
        var jumps = 0
        while true {
            guard reading < bytes.count else { throw DNSMessage.Malformed() }
            let length = Int(bytes[reading])
            switch length {
            case 0:
                if jumps == 0 { position = reading + 1 }
                return isUsual ? text : nil
            case 1...63:
                guard length < bytes.count - reading, text.count + length < Self.longestName else {
                    throw DNSMessage.Malformed()
                }
                if !text.isEmpty { text.append(UInt8(ascii: ".")) }
                for byte in bytes[reading + 1...reading + length] {
                    text.append(Self.lowercased(byte))
                    isUsual = isUsual && Self.isUsual(byte)
                }
                reading += length + 1
            case 0xC0...:
                guard reading + 1 < bytes.count else { throw DNSMessage.Malformed() }
                let target = (length & 0x3F) << 8 | Int(bytes[reading + 1])
                if jumps == 0 { position = reading + 2 }
                jumps += 1
                guard target < bound, jumps <= Self.pointerLimit else { throw DNSMessage.Malformed() }
                bound = target
                reading = target
            default:
                throw DNSMessage.Malformed()
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isUsual(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}
