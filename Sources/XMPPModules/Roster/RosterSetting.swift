/// What was asked of the server for an item and is not answered.
///
/// The next change of the same item starts from here: from the roster, which does not show it yet, it would undo it, since
/// an item is set as a whole.
struct RosterSetting {
    var name: String?
    var groups: [String]
    /// Requests that are out.
    var count = 0
}
