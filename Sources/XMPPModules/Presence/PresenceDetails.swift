import XMPPCore

/// What few say of themselves, in one block: since when nobody has touched the device, and the bytes of the status.
// Unchecked because the block's class is not: its bytes are written before anybody else has it, and never again.
struct PresenceDetails: @unchecked Sendable {
    private struct Header {
        let idleSince: Timestamp?
        /// Bytes of the status.
        let count: Int
    }

    private let block: ManagedBuffer<Header, UInt8>

    /// Nil where nothing is said.
    init?(status: String?, idleSince: Timestamp?) {
        var status = status ?? ""
        guard !status.isEmpty || idleSince != nil else { return nil }
        block = status.withUTF8 { bytes in
            ManagedBuffer.create(minimumCapacity: bytes.count) { block in
                block.withUnsafeMutablePointerToElements { elements in
                    for (place, byte) in bytes.enumerated() { (elements + place).initialize(to: byte) }
                }
                return Header(idleSince: idleSince, count: bytes.count)
            }
        }
    }

    var idleSince: Timestamp? { block.header.idleSince }

    var status: String? {
        block.withUnsafeMutablePointers { header, elements in
            guard header.pointee.count > 0 else { return nil }
            return String(decoding: UnsafeBufferPointer(start: elements, count: header.pointee.count), as: UTF8.self)
        }
    }
}
