import Foundation
import Glibc
import Synchronization

/// The real executable, run on a deployment.
final class DoorwardProcess: Sendable {
    let deployment: Deployment
    private let child: ChildProcess

    /// Beside the test bundle, where the package manager builds both.
    static let executable: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (tests as NSString).deletingLastPathComponent + "/doorward"
    }()

    private init(_ deployment: Deployment) throws {
        self.deployment = deployment
        child = try ChildProcess(
            Self.executable, ["run", "--config", deployment.configurationFile], output: "\(deployment.folder)/log",
            folder: deployment.folder)
    }

    /// Starts it and waits for nothing.
    static func launch(_ deployment: Deployment) throws -> DoorwardProcess { try DoorwardProcess(deployment) }

    /// Starts it and waits until it takes commands.
    static func start(_ deployment: Deployment) async throws -> DoorwardProcess {
        let process = try DoorwardProcess(deployment)
        do {
            try await eventually("the control socket", every: .milliseconds(20)) {
                if let ending = process.child.ending {
                    throw HarnessError("doorward ended (\(ending)): \(process.log)")
                }
                return (try? ControlClient(path: deployment.controlPath)) != nil
            }
        } catch {
            process.killHard()
            throw error
        }
        return process
    }

    /// Starts it and waits until all accounts are online.
    static func online(_ deployment: Deployment) async throws -> DoorwardProcess {
        let process = try await start(deployment)
        try await process.untilOnline()
        return process
    }

    /// Runs it with the end of the given work, whatever comes of that.
    @discardableResult
    static func with<T: Sendable>(
        _ deployment: Deployment, _ body: (DoorwardProcess) async throws -> T
    ) async throws -> T {
        let process = try await online(deployment)
        do {
            let result = try await body(process)
            try await process.terminate()
            return result
        } catch {
            process.killHard()
            throw HarnessError("\(error)\nlog:\n\(process.log.suffix(3000))")
        }
    }

    /// What it wrote to standard error so far, over all starts on this deployment.
    var log: String {
        (try? String(contentsOfFile: "\(deployment.folder)/log.err", encoding: .utf8)) ?? ""
    }

    // MARK: Its end

    var pid: Int32 { child.pid }

    /// SIGKILL.
    func killHard() { child.signal(SIGKILL) }

    /// SIGKILL right behind one of the next writes to the store: between what is recorded and what is sent of it.
    ///
    /// It comes after half a second at the latest.
    func killBehindWrite(_ number: Int, delay: Duration) async {
        let log = "\(deployment.folder)/var/doorward.db-wal"
        let clock = ContinuousClock()
        let deadline = clock.now + .milliseconds(500)
        _ = try? await blocking {
            var rest = number
            var last = Self.fingerprint(log)
            while rest > 0, clock.now < deadline {
                let now = Self.fingerprint(log)
                if now != last { rest -= 1 }
                last = now
            }
        }
        await pause(delay)
        killHard()
    }

    private static func fingerprint(_ path: String) -> [Int] {
        var place = stat()
        guard stat(path, &place) == 0 else { return [] }
        return [Int(place.st_size), place.st_mtim.tv_sec, place.st_mtim.tv_nsec]
    }

    func signal(_ number: Int32) { child.signal(number) }

    func ended() async -> ChildProcess.Ending { await child.ended() }

    /// SIGTERM; it must end by itself, with status 0.
    func terminate() async throws {
        let ending = await child.stop()
        guard ending == .status(0) else {
            throw HarnessError("doorward did not end in order: \(ending)\n\(log.suffix(2000))")
        }
    }

    /// Stops it and starts it again on the same files and store.
    func restarted() async throws -> DoorwardProcess {
        try await terminate()
        return try await Self.online(deployment)
    }

    // MARK: Commands

    /// Runs a command as a person does: another process of the same executable.
    func command(_ arguments: String...) async throws -> CommandOutput {
        try await Self.command(arguments, deployment)
    }

    static func command(_ arguments: [String], _ deployment: Deployment) async throws -> CommandOutput {
        try await run(
            executable, arguments + ["--config", deployment.configurationFile], folder: deployment.folder)
    }

    /// One command over the control socket; throws where it was refused.
    @discardableResult
    func ask(_ command: String, _ arguments: String = "{}") async throws -> JSON {
        let answer = try await ControlClient(path: deployment.controlPath).perform(command, arguments)
        guard answer.status == 0 else {
            throw HarnessError("\(command) \(arguments): status \(answer.status), \(answer.error ?? "no words")")
        }
        return answer.data
    }

    func account(_ jid: String) async throws -> JSON {
        try await ask("status")["accounts"].array.first { $0["jid"].string == jid } ?? .null
    }

    func untilOnline() async throws {
        try await eventually("all accounts to be online", within: .seconds(60)) {
            // All of them, or of none the condition would hold too.
            let accounts = try await ask("status")["accounts"].array
            return accounts.count == deployment.accounts.count
                && accounts.allSatisfy { $0["state"].string == "online" }
        }
    }

    /// The desk's rows, also those that left it.
    func desk() async throws -> [JSON] { try await ask("pending", "{\"all\":true}").array }

    /// The desk's only row of a contact, once there is one in that state.
    @discardableResult
    func row(
        of contact: String, account: String? = nil, state: String = "open", seen: Int? = nil,
        within limit: Duration = .seconds(30)
    ) async throws -> JSON {
        try await eventually("a row of \(contact) in state \(state)", within: limit) {
            let rows = try await desk().filter {
                $0["contact"].string == contact && (account == nil || $0["account"].string == account)
            }
            return rows.last.flatMap { row in
                row["state"].string == state && (seen == nil || row["seen_count"].int == seen) ? row : nil
            }
        }
    }

    /// All rows of the history, newest first.
    func history() async throws -> [JSON] { try await ask("history", "{\"limit\":5000}").array }

    /// The history's rows of a contact, oldest first, once they satisfy the condition.
    @discardableResult
    func history(of contact: String, _ what: String, _ isRight: ([JSON]) -> Bool) async throws -> [JSON] {
        try await eventually("\(what) in the history of \(contact)") {
            let rows = try await history().filter { $0["contact"].string == contact }.reversed()
            return isRight(Array(rows)) ? Array(rows) : nil
        }
    }

    /// Waits until the latest decision on a contact is confirmed by the server.
    func confirmed(_ contact: String) async throws {
        try await history(of: contact, "a confirmed answer") {
            $0.last { $0["event"].string == "decided" }?["state"] == .string("confirmed")
        }
    }
}
