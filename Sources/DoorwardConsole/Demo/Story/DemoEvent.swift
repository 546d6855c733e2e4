import DoorwardRuntime
import XMPPCore

/// What the demo's story is told, in the order in which it happens.
enum DemoEvent: Sendable {
    case service(RuntimeEvent)
    case guest(BareJID, GuestEvent)
    /// The time that something may take is over; the number says for what.
    case timeIsUp(Int)
    /// Somebody pressed Ctrl-C, or the terminal was closed.
    case interrupted
    /// The service has stopped.
    case serviceEnded
}
