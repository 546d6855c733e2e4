package import DoorwardConfig
package import DoorwardPolicy
import DoorwardStore
import XMPPModules

/// What comes to an account from the service while it runs.
extension Account {
    /// Takes what a reload changed without needing a new connection.
    package func update(configuration: AccountConfiguration, policy: Policy, redeliveryWait: Duration) {
        self.configuration = configuration
        (self.policy, self.redeliveryWait) = (policy, redeliveryWait)
        modulesMayHaveChanged()
        guard let session else { return }
        session.module(ProfileModule.self)?.change(to: profile)
        session.roster?.nickname = profile.nickname
        inLedger(of: session) { $0.silenced(configuration.mode == .observe, item: rosterFact) }
        commitSoon(session)
    }

    /// An operator answered: the store has it already.
    func answered(_ row: RequestRow) {
        // Before the session is ready too: its rows may have been read before the answer.
        guard let session else { return }
        inLedger(of: session) { $0.answered(row, item: rosterFact(row.contact)) }
        commitSoon(session)
    }
}
