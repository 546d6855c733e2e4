package import DoorwardConfig
import Glibc
package import XMPPTransport

/// The service's side of the control socket: requests of one line in, answers of one line out, in order.
///
/// It lives on an event loop. A caller is who the kernel says (peer credentials); roles are the command model's matter.
package actor ControlServer {
    /// Connections at a time; one more is told so and closed.
    package static let connectionLimit = 64
    /// Requests of one connection that wait for their turn.
    static let queueLimit = 64
    /// A connection that completes no request for so long is closed.
    static let idleLimit = Duration.seconds(60)

    private let model: CommandModel
    private let operators: @Sendable () async -> [OperatorConfiguration]
    private let serviceUser: UInt32
    private let loop: EventLoop
    private var listener: Listener?
    private var connections: [UInt64: ControlConnection] = [:]
    private var lastNumber: UInt64 = 0
    /// Connections that are only told that there are too many.
    private var surplus = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - loop: Where it lives.
    ///   - model: What performs the commands.
    ///   - serviceUser: The user id that is admin beside root: the process's own.
    ///   - operators: Those of the configuration that runs now; asked for each command, so that a reload counts at once.
    package init(
        loop: EventLoop,
        model: CommandModel,
        serviceUser: UInt32 = geteuid(),
        operators: @escaping @Sendable () async -> [OperatorConfiguration]
    ) {
        self.loop = loop
        self.model = model
        self.serviceUser = serviceUser
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
        guard connections.count < Self.connectionLimit else { return turnAway(accepted.channel) }
        lastNumber += 1
        let number = lastNumber
        connections[number] = ControlConnection(channel: accepted.channel, user: peer.user)
        return { [weak self] event in self?.assumeIsolated { $0.handle(event, of: number) } }
    }

    private func turnAway(_ channel: any Channel) -> (@Sendable (ChannelEvent) -> Void)? {
        guard surplus < Self.connectionLimit else { return nil }
        surplus += 1
        return { [weak self] event in self?.assumeIsolated { $0.handle(event, ofSurplus: channel) } }
    }

    private func handle(_ event: ChannelEvent, ofSurplus channel: any Channel) {
        switch event {
        case .connected:
            let error = "the service has \(Self.connectionLimit) control connections, its most; try again"
            channel.send(ControlReply(id: nil, .refused(error)).line)
            channel.close()
        case .closed: surplus -= 1
        case .secured, .received, .writable: break
        }
    }

    private func handle(_ event: ChannelEvent, of number: UInt64) {
        switch event {
        case .connected: waitForRequest(number)
        case .received(let bytes): received(bytes, of: number)
        case .closed:
            guard let connection = connections.removeValue(forKey: number) else { return }
            connection.idleTimer.map(loop.cancel)
        case .secured, .writable: break
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
            let reply = await answer(request, user: caller.user, name: name)
            guard let connection = connections[number], !connection.isClosing else { return }
            connection.channel.send(reply)
        }
        connections[number]?.isWorking = false
        waitForRequest(number)
    }

    private func waitForRequest(_ number: UInt64) {
        guard connections[number] != nil else { return }
        connections[number]?.idleTimer = loop.schedule(after: Self.idleLimit) { [weak self] in
            self?.assumeIsolated { $0.connections[number]?.channel.close() }
        }
    }

    // MARK: Requests

    /// Reads a request, performs it and writes the answer.
    ///
    /// Off the loop: a page of the desk is megabytes of JSON, and the loop has accounts to serve.
    @concurrent
    private nonisolated func answer(_ line: [UInt8], user: UInt32, name: String?) async -> [UInt8] {
        await reply(to: line, user: user, name: name).line
    }

    private nonisolated func reply(to line: [UInt8], user: UInt32, name: String?) async -> ControlReply {
        let request: ControlRequest
        do throws(ControlRequest.Refusal) { request = try ControlRequest(line: line) } catch {
            return ControlReply(id: error.id, .badUsage(error.text))
        }
        do throws(CallerRecognition.Refusal) {
            let caller = try CallerRecognition.caller(
                uid: user,
                userName: name,
                serviceUID: serviceUser,
                operators: await operators()
            )
            return ControlReply(
                id: request.id,
                await model.perform(request.command, arguments: request.arguments, by: caller)
            )
        } catch {
            return ControlReply(id: request.id, .refused(error.text))
        }
    }

    /// Looked up once for a connection; the system's user database may block, so not on the loop.
    private func userName(of user: UInt32, connection number: UInt64) async -> String? {
        if let known = connections[number]?.userName { return known }
        let name = try? await BlockingPool.run { CallerRecognition.userName(of: user) }
        connections[number]?.userName = name ?? nil
        return name ?? nil
    }
}
