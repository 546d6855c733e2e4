import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@testable import XMPPModules

/// What contacts announce before it is known what was known of them.
@Suite struct HeldAnnouncementsTests {
    private func contact(_ number: Int) -> BareJID { .of("c\(number)") }

    private func picture(_ number: UInt8) -> VCardUpdate { .picture(AvatarHash(of: [number])) }

    @Test("of each contact the last of each kind is held, in the order in which they came")
    func last() {
        var held = HeldAnnouncements()
        for number in 0..<100 { held.hold(.announced(picture(UInt8(number)), by: .ann)) }
        held.hold(.published(nil, by: .eve))
        held.hold(.began)
        held.hold(.published(nil, by: .ann))
        #expect(
            held.events == [
                .began, .published(nil, by: .ann), .announced(picture(99), by: .ann), .published(nil, by: .eve),
            ])
    }

    @Test("what was said before a contact left goes with it; what it says when it is there again counts")
    func removed() {
        var held = HeldAnnouncements()
        held.hold(.announced(picture(1), by: .ann))
        held.hold(.removed(.ann))
        #expect(held.events == [.removed(.ann)])
        held.hold(.announced(picture(2), by: .ann))
        #expect(held.events == [.removed(.ann), .announced(picture(2), by: .ann)])
    }

    @Test("contacts over the bound are not held, those within it lose nothing and go on to be heard")
    func bounded() {
        var held = HeldAnnouncements()
        let limit = HeldAnnouncements.limit
        for number in 0..<limit + 100 { held.hold(.announced(picture(1), by: contact(number))) }
        for number in [0, limit - 1, limit] { held.hold(.announced(picture(2), by: contact(number))) }
        held.hold(.began)
        let events = held.events
        #expect(events.count == limit + 1 && events.first == .began)
        #expect(events[1] == .announced(picture(2), by: contact(0)))
        #expect(events[2] == .announced(picture(1), by: contact(1)))
        #expect(events.last == .announced(picture(2), by: contact(limit - 1)))
    }

    @Test("a module that has waited knows all that were within the bound, and the others when they announce it again")
    func module() async throws {
        let world = try await AvatarWorld(waitsForRestore: true)
        let limit = HeldAnnouncements.limit
        let known = await world.client.withModule(AvatarModule.self) { module in
            for number in 0...limit { module.handle(.announced(.none, by: contact(number))) }
            let early = module.avatar(of: contact(0))
            module.restored()
            let within = (0..<limit).count { module.avatar(of: contact($0)) != nil }
            let over = module.avatar(of: contact(limit))
            module.handle(.announced(.none, by: contact(limit)))
            return (early, within, over, module.avatar(of: contact(limit)))
        }
        let (early, within, over, again) = try #require(known)
        #expect(early == nil && within == limit && over == nil && again == ContactAvatar(nil, from: .vCard))
        try await world.finish()
    }
}
