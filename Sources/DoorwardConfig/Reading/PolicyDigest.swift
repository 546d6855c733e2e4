/// The digest of a policy over its file and its list files, in order of use.
///
/// To be switched to SHA-256 (`XMPPCrypto`) when that is merged: until then an FNV-1a hash stands in, with the length
/// of each part before it, so that no byte can move from one file to the next unseen.
func policyDigest(_ parts: [[UInt8]]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func feed(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for part in parts {
        for shift in stride(from: 0, to: 64, by: 8) { feed(UInt8(truncatingIfNeeded: part.count >> shift)) }
        for byte in part { feed(byte) }
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
