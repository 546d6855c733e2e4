import Testing
import XMPPCore

@testable import XMPPModules

/// What is kept of contacts' pictures, in little memory.
@Suite struct AvatarTableTests {
    private static let hashes = (0..<3).map { AvatarHash(of: [$0]) }

    /// One of all that can be known.
    private static func contact(_ generator: inout SplitMix) -> AvatarTable.Contact {
        func known() -> AvatarTable.Known {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: .unknown
            case 1: .none
            default: .picture(hashes.randomElement(using: &generator) ?? .ofNothing)
            }
        }
        var contact = AvatarTable.Contact()
        (contact.published, contact.announced) = (known(), known())
        if Bool.random(using: &generator) {
            let hash = Bool.random(using: &generator) ? hashes.randomElement(using: &generator) : nil
            contact.current = ContactAvatar(hash, from: Bool.random(using: &generator) ? .pep : .vCard)
        }
        contact.isWaiting = Bool.random(using: &generator)
        if Int.random(in: 0..<4, using: &generator) == 0 {
            contact.failures = [.init(hash: hashes[0], until: Timestamp(milliseconds: 7))]
        }
        return contact
    }

    private static func isSame(_ left: AvatarTable.Contact?, _ right: AvatarTable.Contact?) -> Bool {
        left?.published == right?.published && left?.announced == right?.announced && left?.current == right?.current
            && left?.isWaiting == right?.isWaiting && left?.failures == right?.failures
    }

    @Test("whatever is known of contacts, and in whatever order they come and go, is read as it was put in")
    func same() throws {
        var generator = SplitMix(seed: 84)
        var table = AvatarTable()
        var model: [BareJID: AvatarTable.Contact] = [:]
        let contacts = try (0..<40).map { try BareJID("c\($0)@example.org") }
        for _ in 0..<4000 {
            let jid = try #require(contacts.randomElement(using: &generator))
            let contact = Int.random(in: 0..<3, using: &generator) == 0 ? nil : Self.contact(&generator)
            table[jid] = contact
            model[jid] = contact
            #expect(table.count == model.count)
            #expect(Self.isSame(table[jid], model[jid]))
        }
        for jid in contacts { #expect(Self.isSame(table[jid], model[jid])) }
        let waiting = Set(table.contacts(where: \.isWaiting))
        #expect(waiting == Set(model.filter(\.value.isWaiting).keys))
    }

    @Test("what is known of one picture, or that there is none, takes no block of its own")
    func small() {
        #expect(AvatarTable.bytesOfOne <= 64)
    }
}
