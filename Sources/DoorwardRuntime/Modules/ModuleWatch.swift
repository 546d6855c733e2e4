import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPTransport

/// Makes alerts and events of what an account's modules come to.
final class ModuleWatch: Sendable {
    private struct State {
        /// What is wrong with modules, by code and module, for the text of the one alert of each code.
        var wrong: [String: [String: String]] = [:]
        /// What was not told yet, in order.
        var queue: [Change] = []
        var isWriting = false
    }

    private struct Change {
        let code: String
        /// Nil where the alert is over.
        let text: String?
    }

    private let environment: AccountEnvironment
    private let account: BareJID
    private let time: any TimeSource
    private let state = Locked(State())

    init(_ environment: AccountEnvironment, _ account: BareJID, _ time: any TimeSource) {
        (self.environment, self.account, self.time) = (environment, account, time)
    }

    func report(_ report: ModuleReport) {
        switch report {
        case .said(let module, let text, let isWarning, let dropped):
            environment.events(
                .moduleSaid(account, module: module, text: text, isWarning: isWarning, dropped: dropped))
        case .threw(let module, let error, let dropped):
            environment.events(
                .moduleSaid(account, module: module, text: error, isWarning: true, dropped: dropped))
        case .changed(let module, let new):
            environment.events(.moduleChanged(account, module: module, new))
            changed(module, new)
        }
    }

    private func changed(_ module: String, _ new: ModuleState) {
        let text: (code: String, text: String)? =
            switch new {
            case .stuck:
                (
                    AlertCode.moduleStuck,
                    "a call of the module \(module) does not come back: it gets no events until it does"
                )
            case .failed(let why):
                (
                    AlertCode.moduleFailed,
                    "the module \(module) could not be made: \(why). Mend it, then `doorward reload`."
                )
            case .disabled(let why):
                (
                    AlertCode.moduleDisabled,
                    "the module \(module) is not run: \(why). Mend it or take it out; `doorward reload` tries it again."
                )
            case .starting, .running, .stopped: nil
            }
        let writes = state.withLock { state in
            for code in AlertCode.ofModules {
                let before = state.wrong[code, default: [:]]
                state.wrong[code, default: [:]][module] = text?.code == code ? text?.text : nil
                let after = state.wrong[code, default: [:]]
                guard before != after else { continue }
                let words = after.sorted { $0.key < $1.key }.map(\.value).joined(separator: "; ")
                state.queue.append(Change(code: code, text: after.isEmpty ? nil : words))
            }
            guard !state.isWriting, !state.queue.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        // Unstructured: told from any thread, and nothing waits for the alert.
        if writes { Task { await self.write() } }
    }

    private func write() async {
        while let change = next() {
            let at = Timestamp(milliseconds: time.wallMilliseconds)
            if let text = change.text {
                let alert = try? await environment.store.raiseAlert(
                    code: change.code, account: account, text: text, at: at)
                if let alert { environment.events(.alertRaised(alert)) }
            } else if (try? await environment.store.clearAlert(code: change.code, account: account, at: at)) == true {
                environment.events(.alertCleared(code: change.code, account: account))
            }
        }
    }

    private func next() -> Change? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.isWriting = false
                return nil
            }
            return state.queue.removeFirst()
        }
    }
}
