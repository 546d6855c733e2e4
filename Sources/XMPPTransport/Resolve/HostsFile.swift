import CShims
import Glibc

/// The names of /etc/hosts, read again whenever the file has changed.
///
/// Name servers come after it, as with the system's own resolver. It is read off the loop, and so is its stamp: lists that
/// block advertising have 100,000 names and more, and a file system may be slow.
final class HostsFile: Sendable {
    typealias Handler = @Sendable ([IPAddress]?) -> Void

    /// The process's one.
    static let system = HostsFile(path: "/etc/hosts")

    private struct State {
        var version: shim_file_version?
        var addresses: [[UInt8]: [IPAddress]] = [:]
        var isLooking = false
        var waiting: [@Sendable () -> Void] = []
    }

    /// What is read of the file.
    private static let byteLimit = 8 * 1024 * 1024

    private let path: String
    private let state = Locked(State())

    init(path: String) {
        self.path = path
    }

    /// Gives the addresses of both families that the file has for a name; `nil` when it does not have it.
    ///
    /// `then` is called on the loop, in a turn of its own.
    func find(_ name: String, on loop: EventLoop, then: @escaping Handler) {
        let key = Self.key(name.utf8)
        let mustLook = state.withLock { state in
            state.waiting.append { loop.execute { then(self.state.withLock { $0.addresses[key] }) } }
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if mustLook { BlockingPool.submit { self.look() } }
    }

    /// Reads the file, where it is not as it was.
    private func look() {
        // Before the text: a change between the two is seen at the next look-up.
        let version = currentVersion()
        let known = state.withLock { $0.version }
        let changed = known.map { Self.areEqual($0, version) } == true ? nil : Self.parse(text())
        let waiting = state.withLock { state in
            if let changed { (state.version, state.addresses) = (version, changed) }
            state.isLooking = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    private func currentVersion() -> shim_file_version {
        var version = shim_file_version()
        // Where there is no file, that is its version.
        _ = shim_file_version(path, &version)
        return version
    }

    private static func areEqual(_ first: shim_file_version, _ second: shim_file_version) -> Bool {
        first.seconds == second.seconds && first.nanoseconds == second.nanoseconds && first.size == second.size
            && first.inode == second.inode
    }

    private func text() -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while text.count < Self.byteLimit {
            let count = Glibc.read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            text += piece.prefix(count)
        }
        return text
    }

    /// Lines of an address and its names (hosts(5)); what is none is passed over.
    static func parse(_ text: [UInt8]) -> [[UInt8]: [IPAddress]] {
        var result: [[UInt8]: [IPAddress]] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let first = words.first, let address = IPAddress(String(decoding: first, as: UTF8.self)) else {
                continue
            }
            for word in words.dropFirst() {
                let key = key(word)
                if result[key]?.contains(address) != true { result[key, default: []].append(address) }
            }
        }
        return result
    }

    /// Host names are compared in any case, and with or without their last dot.
    private static func key(_ name: some Collection<UInt8>) -> [UInt8] {
        let key = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return key.last == UInt8(ascii: ".") ? Array(key.dropLast()) : key
    }
}
