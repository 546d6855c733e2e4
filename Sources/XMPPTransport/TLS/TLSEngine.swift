import COpenSSL
import Glibc

/// One TLS connection over a socket: ciphertext comes from the loop's read buffer and goes to the socket directly.
///
/// OpenSSL reads through a BIO of our own, which holds no memory of its own for an idle connection.
/// Overlapping access is not checked at run time: all of it is on the loop, and no variable is lent out over a call.
final class TLSEngine {
    enum Step {
        /// More input is needed, or room in the socket where `needsWritable`.
        case waiting
        case done
        case failed(TransportError)
    }

    /// The longest TLS record's plaintext.
    static let recordBytes = 16 * 1024
    /// XEP-0368.
    private static let xmppClient = "xmpp-client"

    let ssl: OpaquePointer
    private let descriptor: Int32
    var verification: CertificateVerification
    /// The context must outlive the connection's callbacks.
    private let context: TLSContext
    let identity: TLSIdentity?
    private let offersALPN: Bool
    @exclusivity(unchecked) var resumption: Resumption?
    /// Whether the server was shown the client's certificate, in this handshake or in that of the session.
    var showedCertificate = false
    /// Whether the server asked for one.
    var wasAskedForCertificate = false

    /// What the BIO hands to OpenSSL during a call.
    @exclusivity(unchecked) private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Ciphertext that OpenSSL could not take as it first had to write into a full socket.
    @exclusivity(unchecked) private(set) var leftOver: [UInt8] = []
    @exclusivity(unchecked) private var writeError: Int32 = 0
    @exclusivity(unchecked) private(set) var sawFirstByte = false
    @exclusivity(unchecked) private var isPlaintext = false

    /// OpenSSL waits for room in the socket.
    @exclusivity(unchecked) private(set) var needsWritable = false
    private(set) var isSecured = false
    /// The peer sent its close_notify.
    ///
    /// Not asked of SSL_get_shutdown, which says so after a fatal alert too.
    @exclusivity(unchecked) private(set) var hasPeerEnded = false
    /// Whether reading or writing has failed, for `failure`.
    @exclusivity(unchecked) private(set) var hasFailed = false
    private(set) var failure = TransportError(.tlsFailed, "no TLS any more")

    /// - Throws: `.tlsFailed`.
    init(_ settings: TLSSettings, descriptor: Int32) throws(TransportError) {
        context = settings.context
        self.descriptor = descriptor
        verification = CertificateVerification(settings)
        identity = settings.identity
        offersALPN = settings.offersALPN
        resumption = Resumption(settings)
        if context.role == .client, !CertificateName.isUsable(domain: settings.domain) {
            throw TransportError(.tlsFailed, "no host name that a certificate could be for")
        }
        ERR_clear_error()
        guard let ssl = SSL_new(settings.context.pointer) else {
            throw TransportError(.tlsFailed, "no TLS connection: \(takeOpenSSLErrors())")
        }
        guard let method = LoopBIO.method, let bio = BIO_new(method) else {
            SSL_free(ssl)
            throw TransportError(.tlsFailed, "no BIO: \(takeOpenSSLErrors())")
        }
        self.ssl = ssl
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        switch role {
        case .client: try prepareClient(settings.domain)
        case .server: SSL_set_accept_state(ssl)
        }
    }

    deinit {
        releaseSession()
        SSL_free(ssl)
    }

    private func prepareClient(_ domain: String) throws(TransportError) {
        SSL_set_connect_state(ssl)
        var isReady = true
        // RFC 6066 3: SNI holds host names, no addresses.
        if !CertificateName.isAddress(domain) { isReady = shim_ssl_set_server_name(ssl, domain) == 1 }
        if offersALPN {
            let list = [UInt8(Self.xmppClient.utf8.count)] + Array(Self.xmppClient.utf8)
            // This one function says 0 for success.
            isReady = isReady && SSL_set_alpn_protos(ssl, list, UInt32(list.count)) == 0
        }
        guard isReady else { throw TransportError(.tlsFailed, "no TLS connection: \(takeOpenSSLErrors())") }
        offerSession()
    }

    var role: TLSContext.Role { context.role }

    /// Whose connection this is, for OpenSSL's callbacks.
    static func of(_ ssl: OpaquePointer) -> TLSEngine? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSEngine>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Goes on with the handshake; `ciphertext` is what was read, if anything.
    func handshake(_ ciphertext: UnsafeRawBufferPointer) -> Step {
        var step = Step.waiting
        withInput(ciphertext) { step = takeStep() }
        return step
    }

    private func takeStep() -> Step {
        let result = SSL_do_handshake(ssl)
        guard result == 1 else { return judge(result) }
        if let error = judgeResumed() ?? judgeProtocol() { return .failed(error) }
        isSecured = true
        keepSession()
        return .done
    }

    /// A server that knows no ALPN is as good as one that agrees (XEP-0368 4).
    private func judgeProtocol() -> TransportError? {
        guard offersALPN, let agreed = applicationProtocol,
            !agreed.utf8.elementsEqual(Self.xmppClient.utf8)
        else { return nil }
        return TransportError(.tlsFailed, "the server speaks another protocol there than xmpp-client (ALPN)")
    }

    /// Decrypts what was read; it may have failed behind that.
    ///
    /// `ciphertext` may be empty to go on with what OpenSSL holds.
    func read(_ ciphertext: UnsafeRawBufferPointer) -> [UInt8] {
        var plaintext: [UInt8] = []
        withInput(ciphertext) {
            var mayHaveMore = false
            // At once into what is handed on. A plaintext is shorter than its records, unless the begin of one came before.
            var room = ciphertext.isEmpty ? Self.recordBytes : ciphertext.count
            repeat {
                let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                    mayHaveMore = decrypt(into: buffer, &count)
                }
                if plaintext.isEmpty { plaintext = part } else { plaintext += part }
                room = Self.recordBytes
            } while mayHaveMore
            if hasFreshSession { keepSession() }
        }
        return plaintext
    }

    /// Decrypts as far as there is room; whether there may be more.
    private func decrypt(into buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int) -> Bool {
        guard let start = buffer.baseAddress else { return false }
        while count < buffer.count {
            var taken = 0
            let result = SSL_read_ex(ssl, start + count, buffer.count - count, &taken)
            guard result == 1 else {
                if SSL_get_error(ssl, result) == SSL_ERROR_ZERO_RETURN {
                    hasPeerEnded = true
                } else {
                    noteFailure(result)
                }
                return false
            }
            count += taken
            // Where nothing is left OpenSSL need not be asked once more: it would make a buffer for the answer.
            guard !input.isEmpty || SSL_has_pending(ssl) == 1 else { return false }
        }
        return true
    }

    /// Encrypts and sends; how many bytes of `plaintext` were taken before it failed or waits.
    func write(_ plaintext: UnsafeRawBufferPointer) -> Int {
        guard let start = plaintext.baseAddress else { return 0 }
        var taken = 0
        withInput(UnsafeRawBufferPointer(start: nil, count: 0)) {
            while taken < plaintext.count {
                var count = 0
                let result = SSL_write_ex(ssl, start + taken, min(plaintext.count - taken, Self.recordBytes), &count)
                guard result == 1 else { return noteFailure(result) }
                taken += count
            }
        }
        return taken
    }

    private func noteFailure(_ result: Int32) {
        if case .failed(let error) = judge(result) { (hasFailed, failure) = (true, error) }
    }

    /// Sends close_notify; whether it has left.
    func sendEnd() -> Bool {
        guard isSecured else { return true }
        var hasLeft = true
        withInput(UnsafeRawBufferPointer(start: nil, count: 0)) {
            let result = SSL_shutdown(ssl)
            if result < 0, case .waiting = judge(result) { hasLeft = !needsWritable }
        }
        return hasLeft
    }

    // MARK: - OpenSSL's side

    private func withInput(_ ciphertext: UnsafeRawBufferPointer, _ body: () -> Void) {
        // Nearly always it is empty, and clearing it all the same walks through all of its 16 entries.
        if ERR_peek_error() != 0 { ERR_clear_error() }
        writeError = 0
        needsWritable = false
        if !sawFirstByte, let first = ciphertext.first {
            sawFirstByte = true
            // The first record is a handshake or an alert (RFC 8446 5.1); anything else was sent in clear.
            isPlaintext = first != 22 && first != 21
        }
        guard leftOver.isEmpty else {
            let all = leftOver + ciphertext
            leftOver = []
            return all.withUnsafeBytes { run($0, body) }
        }
        run(ciphertext, body)
    }

    private func run(_ ciphertext: UnsafeRawBufferPointer, _ body: () -> Void) {
        input = ciphertext
        body()
        if !input.isEmpty { leftOver = Array(input) }
        input = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// What came of handing bytes to or from OpenSSL.
    enum Transfer {
        case count(Int)
        case again
        case failed
    }

    /// Gives OpenSSL what was read.
    func takeInput(_ destination: UnsafeMutableRawBufferPointer) -> Transfer {
        guard let start = input.baseAddress, !input.isEmpty else { return .again }
        let count = min(input.count, destination.count)
        destination.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
        input = UnsafeRawBufferPointer(start: start + count, count: input.count - count)
        return .count(count)
    }

    /// Sends what OpenSSL wrote.
    func send(_ ciphertext: UnsafeRawBufferPointer) -> Transfer {
        let count = sendBytes(descriptor, ciphertext)
        if count >= 0 { return .count(count) }
        if errno == EAGAIN || errno == EWOULDBLOCK {
            needsWritable = true
            return .again
        }
        writeError = errno
        return .failed
    }

    /// What a result that is no success means.
    ///
    /// To be called directly behind OpenSSL's call.
    private func judge(_ result: Int32) -> Step {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return .waiting
        default:
            if writeError != 0 {
                return .failed(TransportError(.connectionLost, "sending", errno: writeError))
            }
            if let error = verification.error { return .failed(error) }
            let number = ERR_GET_REASON(ERR_peek_last_error())
            let reason = takeOpenSSLErrors()
            if isPlaintext { return .failed(offersALPN ? .plaintextInsteadOfTLS : .plaintextAfterStartTLS) }
            // In brackets, for whoever searches for it.
            return .failed(TransportError(.tlsFailed, explain(number).map { "\($0) (\(reason))" } ?? reason))
        }
    }
}
