import Testing
import XMPPCore
import XMPPModules

/// What the account's own presence says of its picture.
@Suite struct OwnAvatarTests {
    private let hash = AvatarHash(of: Pictures.dot)
    private let other = AvatarHash(of: Pictures.other)

    @Test("nothing definite is said before the vCard was read, and then what is in it")
    func unsure() {
        var own = OwnAvatar()
        #expect(own.update == .notReady)
        #expect(own.handle(.card(nil)) == [.announce])
        #expect(own.update == VCardUpdate.none)
        #expect(own.handle(.card(hash)) == [.announce])
        #expect(own.handle(.card(hash)).isEmpty)
        #expect(own.update == .picture(hash))
    }

    @Test("where another client announces something else the vCard is read once, and repeats cause nothing (B028)")
    func fight() {
        var own = OwnAvatar()
        _ = own.handle(.card(hash))
        let theirs = OwnAvatar.Event.presence(resource: "phone", .picture(other))
        #expect(own.handle(theirs) == [.announce, .read])
        #expect(own.update == .notReady)
        // Meanwhile it is on its way.
        #expect(own.handle(theirs).isEmpty)
        #expect(own.handle(.card(other)) == [.announce])
        for _ in 0..<3 { #expect(own.handle(theirs).isEmpty) }
        // One that announces what is not in the vCard is looked at once.
        let lie = OwnAvatar.Event.presence(resource: "old", .picture(hash))
        #expect(own.handle(lie) == [.announce, .read])
        _ = own.handle(.card(other))
        for _ in 0..<3 { #expect(own.handle(lie).isEmpty) }
        #expect(own.update == .picture(other))
    }

    @Test("while a client is there that knows nothing of this, no picture is announced")
    func unaware() {
        var own = OwnAvatar()
        _ = own.handle(.card(hash))
        #expect(own.handle(.presence(resource: "old", .unsupported)) == [.announce])
        #expect(own.update == .notReady)
        #expect(own.handle(.presence(resource: "new", .notReady)).isEmpty)
        #expect(own.handle(.gone(resource: "old")) == [.announce])
        #expect(own.update == .picture(hash))
    }

    @Test("however many clients there are, they are bounded")
    func bound() {
        var own = OwnAvatar()
        _ = own.handle(.card(hash))
        var reads = 0
        for number in 0..<1_000 {
            reads += own.handle(.presence(resource: "r\(number)", .picture(other))).count { $0 == .read }
            _ = own.handle(.card(hash))
        }
        #expect(reads == OwnAvatar.limit)
    }
}
