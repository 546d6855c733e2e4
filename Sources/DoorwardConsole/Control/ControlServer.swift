package import DoorwardConfig
import Glibc
package import XMPPTransport

/// The service's side of the control socket: requests of one line in, answers of one line out, in order.
///
/// It lives on an event loop. A caller is who the kernel says (peer credentials); roles are the command model's matter.
package actor ControlServer {
    /// Connections at a time that are only told that there is no place.
    private static let surplusLimit = 64
    /// Requests of one connection that wait for their turn.
    static let queueLimit = 64
    /// A connection that completes no request for so long is closed.
    static let idleLimit = Duration.seconds(60)
    /// The same for one whose user has not been recognised yet.
    static let strangerIdleLimit = Duration.seconds(5)

    private let model: CommandModel
    private let operators: @Sendable () async -> [OperatorConfiguration]
    private let serviceUser: UInt32
    private let loop: EventLoop
    private let turnedAway: @Sendable (_ user: UInt32, _ count: Int) -> Void
    private var admission: ControlAdmission
    private var listener: Listener?
    private var connections: [UInt64: ControlConnection] = [:]
    private var lastNumber: UInt64 = 0
    private var surplus = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - loop: Where it lives.
    ///   - model: What performs the commands.
    ///   - serviceUser: The user id that is admin beside root: the process's own.
    ///   - turnedAway: Told at most once a minute that callers were turned away: the last one's user id, and how many.
    ///   - operators: Those of the configuration that runs now; asked for each command, so that a reload counts at once.
    package init(
        loop: EventLoop,
        model: CommandModel,
        serviceUser: UInt32 = geteuid(),
        turnedAway: @escaping @Sendable (_ user: UInt32, _ count: Int) -> Void = { _, _ in },
        operators: @escaping @Sendable () async -> [OperatorConfiguration]
    ) {
        self.loop = loop
        self.model = model
        self.serviceUser = serviceUser
        self.turnedAway = turnedAway
        admission = ControlAdmission(serviceUser: serviceUser)
        self.operators = operators
    }

    /// Begins to listen.
    ///
    /// A folder that is not there is made with mode 0750.
    ///
    /// - Throws: `TransportError` where the path is too long, its folder lets others in, or another service listens.
    package func start(path: String) throws {
        _ = mkdir(FilePath.folder(of: path), 0o750)
        listener = try Listener.unix(path: path, on: loop) { [weak self] accepted in
            self?.assumeIsolated { $0.accept(accepted) }
        }
    }

    /// Closes the socket and every connection; answers that are on their way are still sent.
    package func stop() {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.channel.close() }
    }

    // MARK: Connections

    private func accept(_ accepted: AcceptedConnection) -> (@Sendable (ChannelEvent) -> Void)? {
        guard let peer = accepted.peer else { return nil }
        if let refusal = admission.admit(peer.user) { return turnAway(accepted.channel, peer.user, refusal) }
        lastNumber += 1
        let number = lastNumber
        connections[number] = ControlConnection(channel: accepted.channel, user: peer.user)
        return { [weak self] event in self?.assumeIsolated { $0.handle(event, of: number) } }
    }

    private func turnAway(
        _ channel: any Channel, _ user: UInt32, _ refusal: String
    ) -> (@Sendable (ChannelEvent) -> Void)? {
        note(turnedAway: user)
        guard surplus < Self.surplusLimit else { return nil }
        surplus += 1
        return { [weak self] event in self?.assumeIsolated { $0.handle(event, ofSurplus: channel, refusal) } }
    }

    private func note(turnedAway user: UInt32) {
        guard let notice = admission.turnedAway(user, at: loop.time.now) else { return }
        turnedAway(notice.user, notice.count)
    }

    private func handle(_ event: ChannelEvent, ofSurplus channel: any Channel, _ refusal: String) {
        switch event {
        case .connected:
            channel.send(ControlReply(id: nil, .refused(refusal)).line)
            channel.close()
        case .closed: surplus -= 1
        case .attempted, .secured, .received, .writable: break
        }
    }

    private func handle(_ event: ChannelEvent, of number: UInt64) {
        switch event {
        case .connected: waitForRequest(number)
        case .received(let bytes): received(bytes, of: number)
        case .closed:
            guard let connection = connections.removeValue(forKey: number) else { return }
            connection.idleTimer.map(loop.cancel)
            admission.leave(connection.user)
        case .attempted, .secured, .writable: break
        }
    }

    private func received(_ bytes: [UInt8], of number: UInt64) {
        guard var connection = connections[number], !connection.isClosing else { return }
        let problem = connection.take(bytes, queueLimit: Self.queueLimit)
        if let problem {
            connection.isClosing = true
            connection.channel.send(ControlReply(id: nil, .badUsage(problem)).line)
            connection.channel.close()
        }
        let mustStart = !connection.isWorking && !connection.isClosing && !connection.requests.isEmpty
        if mustStart {
            connection.isWorking = true
            connection.idleTimer.map(loop.cancel)
            connection.idleTimer = nil
        }
        connections[number] = connection
        guard mustStart else { return }
        // Unstructured since the read loop must not wait for a command: at most one for each connection, and it ends
        // with the connection's queue. Without a preference for the loop, so that the commands themselves leave it.
        Task { await self.work(number) }
    }

    /// Answers what is queued, in order.
    ///
    /// After each await the connection is looked up again: it may be gone.
    private func work(_ number: UInt64) async {
        while let caller = connections[number], let request = caller.requests.first {
            connections[number]?.requests.removeFirst()
            let name = await userName(of: caller.user, connection: number)
            let (reply, isStranger) = await answer(request, user: caller.user, name: name)
            guard let connection = connections[number], !connection.isClosing else { return }
            connection.channel.send(reply)
            guard !isStranger else {
                note(turnedAway: caller.user)
                connections[number]?.isClosing = true
                return connection.channel.close()
            }
            connections[number]?.isRecognised = true
        }
        connections[number]?.isWorking = false
        waitForRequest(number)
    }

    private func waitForRequest(_ number: UInt64) {
        guard let connection = connections[number] else { return }
        let isOwner = connection.user == 0 || connection.user == serviceUser
        let limit = isOwner || connection.isRecognised ? Self.idleLimit : Self.strangerIdleLimit
        connections[number]?.idleTimer = loop.schedule(after: limit) { [weak self] in
            self?.assumeIsolated { $0.connections[number]?.channel.close() }
        }
    }

    // MARK: Requests

    /// Reads a request, performs it and writes the answer.
    ///
    /// Off the loop: a page of the desk is megabytes of JSON, and the loop has accounts to serve.
    @concurrent
    private nonisolated func answer(
        _ line: [UInt8], user: UInt32, name: String?
    ) async -> (line: [UInt8], isStranger: Bool) {
        let caller: Caller
        do throws(CallerRecognition.Refusal) {
            caller = try CallerRecognition.caller(
                uid: user, userName: name, serviceUID: serviceUser, operators: await operators())
        } catch {
            let id = (try? ControlRequest(line: line))?.id
            return (ControlReply(id: id, .refused(error.text)).line, true)
        }
        return (await reply(to: line, by: caller).line, false)
    }

    private nonisolated func reply(to line: [UInt8], by caller: Caller) async -> ControlReply {
        let request: ControlRequest
        do throws(ControlRequest.Refusal) { request = try ControlRequest(line: line) } catch {
            return ControlReply(id: error.id, .badUsage(error.text))
        }
        return ControlReply(
            id: request.id, await model.perform(request.command, arguments: request.arguments, by: caller))
    }

    /// Looked up once for a connection; the system's user database may block, so not on the loop.
    private func userName(of user: UInt32, connection number: UInt64) async -> String? {
        if let known = connections[number]?.userName { return known }
        let name = try? await BlockingPool.run { CallerRecognition.userName(of: user) }
        connections[number]?.userName = name ?? nil
        return name ?? nil
    }
}
