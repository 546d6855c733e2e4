import DoorwardPolicy
import DoorwardStore

extension RequestLedger {
    /// What the ledger knows of one contact's request in this session.
    struct Entry {
        /// Nil while the transaction that opens it is under way.
        var row: RequestRow?
        /// Whether what opens it leaves it waiting.
        var opensWaiting = false
        /// The server delivered it in this session.
        var isDelivered: Bool
        /// It is being recorded as received: the facts that it hangs on are asked for behind that.
        var awaitsFacts = false
        /// Steps recorded as written in this session.
        ///
        /// They are not written twice.
        var written: StepSet = []
        /// Steps whose end is recorded or on its way to the store.
        ///
        /// They are not ended twice.
        var ended: StepSet = []
        var ending = Ending.none
        /// The contact's item, where another client accepted while the row was not there yet.
        var approvedMeanwhile: RosterFact?

        var isClosing: Bool {
            switch ending {
            case .none: false
            case .closing, .takingBack: true
            }
        }

        /// Whether that step still waits for its end.
        func isOpen(_ kind: OutboxStep.Kind) -> Bool {
            !ended.contains(kind) && row?.outbox?.step(kind)?.state.isOpen ?? false
        }
    }

    /// Whether a row is on its way out; nothing more is sent for it then.
    enum Ending {
        case none
        /// Its closing is on its way to the store.
        case closing
        /// Its pre-approval is being taken back; a delivery meanwhile is remembered and answered after that.
        case takingBack(deliveredAgain: Bool)
    }
}
