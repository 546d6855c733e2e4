import DoorwardConfig
import DoorwardRuntime
import Glibc
import XMPPCore
import XMPPTransport

/// The demo while it runs: it drives the guests by what has happened, and writes the story.
///
/// One task reads all events in order, so there is no other state than this value's and the story's.
struct DemoRun {
    /// What a running timer is for.
    private enum Limit {
        static let online = 0
        /// Plus the number of the guest.
        static let guest = 1
    }

    let setup: DemoSetup
    let output: Output
    let host: ServiceHost
    let loop: EventLoop
    /// Whether to end by itself when nothing more happens without an operator.
    let once: Bool
    let post: AsyncStream<DemoEvent>.Continuation
    var story: DemoStory
    private var guests: [Guest] = []
    /// The guest whose turn it is; nil before the first.
    private var turn: Int?
    private var timer: TimerID?
    private var isStopping = false
    private var failure: DemoError?

    init(
        setup: DemoSetup, words: DemoWords, output: Output, host: ServiceHost, loop: EventLoop, once: Bool,
        post: AsyncStream<DemoEvent>.Continuation
    ) {
        self.setup = setup
        self.output = output
        self.host = host
        self.loop = loop
        self.once = once
        self.post = post
        story = DemoStory(accounts: setup.configuration.accounts.map(\.jid), guests: setup.guests, words: words)
    }

    /// Reads events until the service has ended.
    ///
    /// - Throws: What kept the demo from going on; the service has ended by then too.
    mutating func follow(_ events: AsyncStream<DemoEvent>) async throws(DemoError) {
        output.lines(
            story.words.opening(
                port: setup.server.port, hosts: setup.hosts, folder: setup.folder.path, skipped: setup.skipped,
                once: once))
        wait(.seconds(60), for: Limit.online)
        for await event in events {
            output.lines(story.heard(event))
            switch event {
            case .serviceEnded:
                if !isStopping { failure = DemoError(.notOnline, "the service has ended by itself") }
                for guest in guests { await guest.logOut() }
                if let failure { throw failure }
                return
            case .interrupted:
                await stop()
            case .timeIsUp(let limit):
                await timeIsUp(limit)
            case .service, .guest:
                await goOn()
            }
        }
    }

    // MARK: The guests' turns

    private mutating func goOn() async {
        guard !isStopping else { return }
        if setup.server.hasEnded {
            failure = DemoError(.serverFailed, "Prosody has ended by itself; \(setup.server.logFile) may say why")
            return await stop()
        }
        guard !story.isOperatorsTurn else { return }
        if let turn {
            guard setup.guests.indices.contains(turn), story.isSettled(setup.guests[turn]) else { return }
            await next(after: turn)
        } else if story.accountsAreOnline {
            await begin()
        }
    }

    private mutating func begin() async {
        for part in setup.guests {
            let post = post
            let guest = Guest(
                part.jid, password: setup.guestPasswords[part.jid] ?? "", port: setup.server.port,
                caFile: setup.server.caFile, loop: loop, acceptsAskingBack: part.acceptsAskingBack
            ) { post.yield(.guest(part.jid, $0)) }
            guests.append(guest)
            do {
                try await guest.logIn()
            } catch {
                failure = error
                return await stop()
            }
        }
        output.lines(story.words.guestsCome)
        await ask(0)
    }

    private mutating func next(after turn: Int) async {
        if turn + 1 < guests.count {
            await ask(turn + 1)
        } else {
            cancelTimer()
            output.lines(story.operatorsTurn(once: once))
            if once { await stop() }
        }
    }

    private mutating func ask(_ number: Int) async {
        turn = number
        wait(.seconds(20), for: Limit.guest + number)
        let part = setup.guests[number]
        await guests[number].ask(part.account, message: part.message, nickname: part.nickname)
    }

    // MARK: Time

    private mutating func wait(_ duration: Duration, for limit: Int) {
        cancelTimer()
        let post = post
        timer = loop.schedule(after: duration) { post.yield(.timeIsUp(limit)) }
    }

    private mutating func cancelTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private mutating func timeIsUp(_ limit: Int) async {
        guard !isStopping else { return }
        if limit == Limit.online {
            guard turn == nil else { return }
            let missing = story.accounts.filter { story.states[$0] != .online }.map(\.description)
            failure = DemoError(
                .notOnline, "not online after 60 s: \(missing.joined(separator: ", ")); \(setup.folder.log) says why")
            await stop()
        } else if turn == limit - Limit.guest, setup.guests.indices.contains(limit - Limit.guest) {
            let guest = setup.guests[limit - Limit.guest]
            output.line(story.words.noAnswer(guest))
            if once { failure = DemoError(.guestFailed, "the request of \(guest.jid) was not answered in time") }
            await next(after: limit - Limit.guest)
        }
    }

    // MARK: The end

    private mutating func stop() async {
        guard !isStopping else { return }
        isStopping = true
        cancelTimer()
        output.lines(story.stopping())
        await host.stop()
    }
}
