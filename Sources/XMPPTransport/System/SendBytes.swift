import CShims
import Glibc

/// Sends without SIGPIPE; -1 and `errno` on failure.
func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(SHIM_NO_SIGNAL))
        if count >= 0 || errno != EINTR { return count }
    }
}
