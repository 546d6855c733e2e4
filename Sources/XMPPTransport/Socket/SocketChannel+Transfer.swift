import Glibc

/// What a ready socket leads to: reading, the handshake, sending.
extension SocketChannel {
    /// Sent in one turn of the loop; the rest waits for the other channels' turns.
    private static let bytesPerTurn = 256 * 1024

    func becomeReady(_ events: UInt32) {
        let wanted = events & (interest | Readiness.broken)
        if case .handshaking = state {
            // Each step takes about a millisecond.
            takeTurn { [self] in transfer(wanted) }
        } else {
            transfer(wanted)
        }
    }

    private func transfer(_ events: UInt32) {
        let isBroken = events & Readiness.broken != 0
        // What the handlers send in this turn leaves at its end, in one write.
        isInTurn = true
        if isBroken || events & Readiness.writable != 0 { flush() }
        // A broken socket is read also where reading is paused: it would be reported for ever, and the read says what
        // broke.
        if descriptor >= 0 && (isBroken || events & Readiness.readable != 0) { readOnce() }
        isInTurn = false
        if mustFlush {
            mustFlush = false
            flush()
        }
        updateInterest()
    }

    // MARK: - Input

    /// One read a turn: the rest is reported again, after the other channels had their turn.
    private func readOnce() {
        let buffer = loop.readBuffer
        let count = Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0)
        guard count >= 0 else {
            if errno == EAGAIN || errno == EINTR { return }
            let error = TransportError(.connectionLost, "receiving", errno: errno)
            finish(ending == .lingering ? .local : .failed(error))
            return
        }
        if count == 0 {
            peerEnded()
        } else if ending == .none {
            use(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).prefix(count)))
        }
    }

    private func use(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .connecting, .closed: return
        case .plain: deliver(.received(Array(bytes)))
        case .upgrading: finish(.failed(.plaintextAfterStartTLS))
        case .handshaking(let engine): handshake(engine, bytes)
        case .secured(let engine): decrypt(engine, bytes)
        }
    }

    private func peerEnded() {
        switch (state, ending) {
        case (.connecting, _), (.closed, _): return
        case (.upgrading, _), (.handshaking, _):
            finish(.failed(.endedInHandshake))
        case (.plain, .lingering), (.secured, .lingering):
            finish(.local)
        case (.secured(let engine), .none) where !engine.hasPeerEnded:
            finish(.failed(TransportError(.tlsTruncated, "the connection ended without TLS's close_notify")))
        case (.plain, .none), (.secured, .none), (.plain, .flushing), (.secured, .flushing):
            endAfterFlush()
        }
    }

    /// The peer says no more: what is queued still goes out, then the channel ends.
    private func endAfterFlush() {
        guard !hasPeerEnded else { return }
        hasPeerEnded = true
        if ending == .none { startDeadline(ChannelLimits.closing, .endOfStream) }
        flush()
    }

    // MARK: - TLS

    func beginHandshake(_ settings: TLSSettings) {
        guard case .upgrading = state else { return }
        do throws(TransportError) {
            let engine = try TLSEngine(settings, descriptor: descriptor)
            state = .handshaking(engine)
            handshake(engine, UnsafeRawBufferPointer(start: nil, count: 0))
        } catch {
            finish(.failed(error))
        }
    }

    private func handshake(_ engine: TLSEngine, _ bytes: UnsafeRawBufferPointer) {
        switch engine.handshake(bytes) {
        case .waiting: return
        case .failed(let error): finish(.failed(error))
        case .done:
            loop.shared { HandshakeMemory() }.handshakeEnded(on: loop)
            cancelDeadline()
            endAttempt()
            state = .secured(engine)
            output = held
            held.removeAll()
            deliver(.secured(engine.summary))
            // What came behind the handshake's last message in the same read.
            if case .secured = state, !engine.leftOver.isEmpty {
                decrypt(engine, UnsafeRawBufferPointer(start: nil, count: 0))
            }
            if case .secured = state { sendEncrypted(engine) }
            finishFlush()
        }
    }

    private func decrypt(_ engine: TLSEngine, _ bytes: UnsafeRawBufferPointer) {
        let plaintext = engine.read(bytes)
        if !plaintext.isEmpty && ending == .none { deliver(.received(plaintext)) }
        // The handler may have closed the channel.
        guard case .secured = state else { return }
        if engine.hasFailed {
            finish(.failed(engine.failure))
        } else if engine.hasPeerEnded {
            endAfterFlush()
        }
    }

    // MARK: - Output

    func flush() {
        switch state {
        case .connecting, .closed: return
        case .plain: sendPlain()
        case .upgrading(let settings):
            if sendPlain() { takeTurn { [self] in beginHandshake(settings) } }
        case .handshaking(let engine):
            if engine.needsWritable { handshake(engine, UnsafeRawBufferPointer(start: nil, count: 0)) }
        case .secured(let engine):
            if !engine.leftOver.isEmpty || (engine.needsWritable && output.isEmpty) {
                // OpenSSL's own message (such as an answered key update) waited for room, and our input behind it.
                decrypt(engine, UnsafeRawBufferPointer(start: nil, count: 0))
            }
            if case .secured = state { sendEncrypted(engine) }
        }
        finishFlush()
    }

    /// - Returns: whether all is sent.
    @discardableResult
    private func sendPlain() -> Bool {
        var budget = Self.bytesPerTurn
        while !output.isEmpty && budget > 0 {
            let count = output.withUnsent { sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: $0.prefix(budget))) }
            guard count >= 0 else {
                if errno != EAGAIN && errno != EWOULDBLOCK {
                    finish(.failed(TransportError(.connectionLost, "sending", errno: errno)))
                }
                return false
            }
            output.drop(count)
            budget -= count
        }
        return output.isEmpty
    }

    private func sendEncrypted(_ engine: TLSEngine) {
        guard !output.isEmpty else { return }
        let count = output.withUnsent { unsent in
            engine.write(UnsafeRawBufferPointer(start: unsent.baseAddress, count: min(unsent.count, Self.bytesPerTurn)))
        }
        output.drop(count)
        if engine.hasFailed { finish(.failed(engine.failure)) }
    }

    /// Once all has left: the next step of ending, or the news that there is room.
    private func finishFlush() {
        guard unsentBytes == 0, descriptor >= 0 else { return }
        switch ending {
        case .none where hasPeerEnded:
            sayEnd()
            finish(.endOfStream)
        case .none:
            guard isOverHighWater else { return }
            isOverHighWater = false
            deliver(.writable)
        case .flushing:
            guard sayEnd() else { return }
            if hasPeerEnded {
                finish(.local)
            } else {
                ending = .lingering
                Glibc.shutdown(descriptor, Int32(SHUT_WR))
            }
        case .lingering: return
        }
    }

    /// Sends TLS's close_notify where there is TLS; whether it has left.
    @discardableResult
    private func sayEnd() -> Bool {
        guard case .secured(let engine) = state else { return true }
        return engine.sendEnd()
    }
}
