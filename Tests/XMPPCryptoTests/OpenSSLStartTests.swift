import COpenSSL
import Glibc
import Testing
import XMPPCrypto

/// Threads may still use OpenSSL when the process ends.
struct OpenSSLStartTests {
    @Test("OpenSSL is left as it is at the end of the process, whatever of it was called first")
    func lives() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // This one would have it cleaned up at the end, if that were not settled before main.
            ERR_clear_error()
            _ = digest(.sha256, [1])
            OPENSSL_atexit { _exit(7) }
            exit(0)
        }
    }
}
