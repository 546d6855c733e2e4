public import XMPPCore

/// Somebody in a room.
public struct RoomOccupant: Hashable, Sendable {
    /// What somebody may do in the room at the moment (XEP-0045 section 5.1).
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// Nothing: has left.
        case none
        /// Listens.
        case visitor
        /// Speaks.
        case participant
        /// Keeps order.
        case moderator
    }

    /// What somebody is to the room for good (XEP-0045 section 5.2).
    public enum Affiliation: String, Hashable, Sendable, CaseIterable {
        /// Nobody in particular.
        case none
        /// May not enter.
        case outcast
        /// May enter where not all may.
        case member
        /// Manages who may what.
        case admin
        /// Owns it.
        case owner
    }

    /// The name in the room; it may be somebody else's tomorrow.
    public var nickname: String
    /// What may be done.
    public var role: Role
    /// What it is to the room.
    public var affiliation: Affiliation
    /// Who it really is; nil where the room does not tell.
    public var address: JID?
    /// An id that stays with the same person in this room (XEP-0421); nil where the room gives none.
    public var id: String?

    /// Somebody in a room.
    public init(
        _ nickname: String, role: Role = .participant, affiliation: Affiliation = .none, address: JID? = nil,
        id: String? = nil
    ) {
        (self.nickname, self.role, self.affiliation) = (nickname, role, affiliation)
        (self.address, self.id) = (address, id)
    }

    /// Whether it is the same person as far as the room tells: by the real address, else by the room's id.
    ///
    /// Never by the name, which anybody can take.
    public func isSame(as other: RoomOccupant) -> Bool {
        if let address, let theirs = other.address { return address.bare == theirs.bare }
        if let id, let theirs = other.id { return sameBytes(id, theirs) }
        return false
    }
}
