package import XMPPCore

/// Where it is noted which event a module has in its hands, so that it is known after a trap.
///
/// What was begun and not ended when the process went is found by the next one.
package protocol EventNotes: Sendable {
    /// A call begins; quick, since it comes before each.
    ///
    /// - Returns: What to end it by; nil where there was no room for the note.
    func begin(account: BareJID, module: String, event: String) -> Int?

    /// It has returned.
    func end(_ note: Int?)
}
