import XMPPCrypto

/// The digest of a policy over its file and its list files, in order of use, as lower-case hex of SHA-256.
///
/// The length of each part goes before it, so that no byte can move from one file to the next unseen.
func policyDigest(_ parts: [[UInt8]]) -> String {
    var bytes: [UInt8] = []
    for part in parts {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
        bytes += part
    }
    return hexadecimal(digest(.sha256, bytes))
}
