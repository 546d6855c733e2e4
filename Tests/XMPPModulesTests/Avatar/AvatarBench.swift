import Testing
import XMPPCore
import XMPPModules

/// The machine, the pictures that are kept, and the time.
struct AvatarBench {
    var machine = ContactAvatars()
    var kept: Set<AvatarHash> = []
    var now = Timestamp(milliseconds: 1_000_000)

    mutating func take(_ event: ContactAvatars.Event) -> [ContactAvatars.Action] {
        machine.handle(event, at: now) { [kept] in kept.contains($0) }
    }

    mutating func announce(_ update: VCardUpdate, by contact: BareJID = .ann) -> [ContactAvatars.Action] {
        take(.announced(update, by: contact))
    }

    /// Claims, fetches and ends what was announced.
    mutating func fetch(_ hash: AvatarHash, _ outcome: ContactAvatars.Outcome) -> [ContactAvatars.Action] {
        let fetch = ContactAvatars.Fetch(contact: .ann, hash: hash)
        #expect(take(.claimed(fetch, isKept: false)) == [.fetch(fetch)])
        return take(.fetched(fetch, outcome))
    }

    mutating func wait(milliseconds: Int64) { now = Timestamp(milliseconds: now.milliseconds + milliseconds) }
}
