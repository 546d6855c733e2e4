import DoorwardPolicy
import DoorwardStore
import XMPPCore
import XMPPTransport

/// What other servers say to it that their users are asked, as long as a command waits for that.
///
/// A server finds out after a while that there is no other one (Prosody asks the DNS for it in the background); nothing says
/// that there is one. So a command waits a little, and what comes later is told by the list, the log and the history.
extension Account {
    /// The same outcome, with what the contact's server has said to it since.
    func heard(_ outcome: ContactOutcome, of order: ContactOrder, on contact: BareJID) async -> ContactOutcome {
        guard case .add = order, case .done(let report) = outcome, report.bounce == nil, report.delay == nil,
            !report.isApproval, report.item?.asked == true, contact.server != jid.server, let session,
            environment.refusalWait > .zero
        else { return outcome }
        // It may have come while the end of the command was written down.
        if session.refusals[contact] == nil, session.delays[contact] == nil {
            let timer = loop.schedule(after: environment.refusalWait) {
                // With its session the wait has ended.
                self.assumeIsolated { account in account.session.map { account.answered(contact, in: $0) } }
            }
            await withCheckedContinuation { session.askWaiters[contact, default: []].append($0) }
            loop.cancel(timer)
        }
        let (bounce, delay) = (session.refusals[contact], session.delays[contact])
        guard bounce != nil || delay != nil else { return outcome }
        // What takes the request back is behind it, and all of it on the disk.
        guard case .done(var later) = await settled(contact, in: session) else {
            var known = report
            (known.bounce, known.delay) = (bounce, delay)
            return .done(known)
        }
        (later.bounce, later.delay) = (bounce, delay)
        return .done(later)
    }

    /// The contact, or its server, has said something, or will not any more.
    func answered(_ contact: BareJID, in session: AccountSession) {
        for waiter in session.askWaiters.removeValue(forKey: contact) ?? [] { waiter.resume() }
    }
}
