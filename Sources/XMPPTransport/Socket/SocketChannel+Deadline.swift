/// The time that a handshake and closing may take.
///
/// A timer holds the channel until it is taken back or has fired: an object that was ever referenced weakly is slower to
/// hold, for all its life.
extension SocketChannel {
    func startDeadline(_ delay: Duration, _ closure: ChannelClosure) {
        cancelDeadline()
        deadline = loop.schedule(after: delay) { self.finish(closure) }
    }

    func startHandshakeDeadline() {
        startHandshakeDeadline(at: loop.time.now + ChannelLimits.handshake)
    }

    private func startHandshakeDeadline(at due: Duration) {
        cancelDeadline()
        let before = timeInQueue
        deadline = loop.schedule(after: max(.zero, due - loop.time.now)) { [self] in
            // With thousands of logins at once, most of the time may have been spent in our own queue.
            let later = due + timeInQueue - before
            guard later <= loop.time.now else { return startHandshakeDeadline(at: later) }
            finish(.failed(TransportError(.timedOut, "the TLS handshake took over \(ChannelLimits.handshake)")))
        }
    }

    func cancelDeadline() {
        deadline.map(loop.cancel)
        deadline = nil
    }
}
