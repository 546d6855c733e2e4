import Glibc

/// The users of this machine.
package enum UnixUsers {
    /// Whether there is a user of this name; nil where that cannot be known.
    package static func isKnown(_ name: String) -> Bool? {
        var size = 1_024
        while size <= 1_048_576 {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: size)
            let code = getpwnam_r(name, &entry, &buffer, size, &found)
            switch code {
            case 0: return found != nil
            case ERANGE: size *= 2
            case EINTR: continue
            // What the manual lists for a name that is not there.
            case ENOENT, ESRCH: return false
            default: return nil
            }
        }
        return nil
    }
}
