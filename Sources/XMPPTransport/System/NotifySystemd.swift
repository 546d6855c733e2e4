import CShims
import Glibc

/// Tells systemd a state such as `READY=1` (sd_notify(3)); does nothing where systemd did not start us.
package func notifySystemd(_ state: String) {
    guard let value = getenv("NOTIFY_SOCKET") else { return }
    let name = String(cString: value)
    guard let address = notifyAddress(name) else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(state.utf8)
    // Best effort, as sd_notify's callers all have it.
    _ = address.withSockaddr { sendto(descriptor, bytes, bytes.count, Int32(SHIM_NO_SIGNAL), $0, $1) }
}

/// An absolute path, or `@name` for the abstract namespace, whose address is exactly as long as the name.
private func notifyAddress(_ name: String) -> SocketAddress? {
    if name.utf8.first == UInt8(ascii: "/") { return try? SocketAddress(unixPath: name) }
    guard name.utf8.first == UInt8(ascii: "@"), name.utf8.count <= 107 else { return nil }
    let family = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) }
    return SocketAddress(bytes: family + [0] + Array(name.utf8.dropFirst()), family: AF_UNIX, description: name)
}
