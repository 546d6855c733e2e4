/// Lets so many accounts log in at the same time: a TLS handshake and a key derivation cost milliseconds that the
/// accounts online would feel, and a server that comes back is not met by everyone at once.
actor StartGate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) {
        free = max(1, width)
    }

    /// Waits for a place, first come first served.
    func enter() async {
        await withCheckedContinuation { continuation in
            guard free == 0 else {
                free -= 1
                return continuation.resume()
            }
            waiting.append(continuation)
        }
    }

    /// Gives the place back.
    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
