import COpenSSL

/// A hash function of OpenSSL's.
package enum HashAlgorithm: Sendable, Hashable {
    case sha1
    case sha256
    case sha512

    /// The length of a digest in bytes.
    package var digestLength: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    var method: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        }
    }
}

/// The hash of some bytes.
package func digest(_ algorithm: HashAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
    filled(algorithm.digestLength) { output in
        var count: UInt32 = 0
        let done = EVP_Digest(bytes, bytes.count, output, &count, algorithm.method, nil)
        return done == 1 && Int(count) == algorithm.digestLength
    }
}

/// HMAC (RFC 2104).
package func hmac(_ algorithm: HashAlgorithm, key: [UInt8], message: [UInt8]) -> [UInt8] {
    filled(algorithm.digestLength) { output in
        var count: UInt32 = 0
        // An empty array may have no address, and HMAC takes a null key as "the key of before".
        let keyOrZero: [UInt8] = key.isEmpty ? [0] : key
        let done = HMAC(
            algorithm.method,
            keyOrZero,
            Int32(clamping: key.count),
            message,
            message.count,
            output,
            &count
        )
        return done != nil && Int(count) == algorithm.digestLength
    }
}

/// PBKDF2 with HMAC (RFC 8018), as long as one digest.
///
/// Thousands of iterations take milliseconds, so this never runs on an event loop; the caller bounds what a peer asks
/// for.
package func pbkdf2(
    _ algorithm: HashAlgorithm,
    password: Secret,
    salt: [UInt8],
    iterations: Int
) -> [UInt8] {
    filled(algorithm.digestLength) { output in
        password.withBytes { password in
            shim_pbkdf2(
                algorithm.method,
                password.baseAddress,
                password.count,
                salt,
                salt.count,
                max(1, iterations),
                output
            ) == 1
        }
    }
}

/// Runs an OpenSSL function that fills an array.
///
/// These functions fail only where OpenSSL itself is broken (out of memory, an algorithm switched off for the whole
/// machine), never because of their input. Going on with zeros for a hash would let a server prove itself with zeros,
/// so this stops the program.
private func filled(_ count: Int, _ body: (UnsafeMutablePointer<UInt8>?) -> Bool) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    let done = output.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    precondition(done, "OpenSSL cannot compute a hash: is the algorithm switched off on this machine?")
    return output
}
