import Testing
import XMPPCore
import XMPPModules

/// The machine of contacts' pictures, without a connection.
@Suite struct ContactAvatarsTests {
    private let image: AvatarImage
    private let other: AvatarImage
    private var claim: ContactAvatars.Action { .claim(.init(contact: .ann, hash: image.hash)) }

    init() throws {
        image = try Pictures.image()
        other = try Pictures.image(Pictures.other)
    }

    @Test(
        "the states of XEP-0153 are kept apart: nothing, not ready and nonsense change nothing; none takes away (B026)")
    func states() throws {
        var bench = AvatarBench(kept: [image.hash])
        _ = bench.announce(.picture(image.hash))
        let known = ContactAvatar(image.hash, from: .vCard)
        for update in [VCardUpdate.unsupported, .notReady, .invalid, .picture(image.hash)] {
            #expect(bench.announce(update).isEmpty)
            #expect(bench.machine.avatar(of: .ann) == known)
        }
        let none = ContactAvatar(nil, from: .vCard)
        #expect(bench.announce(.none) == [.changed(.ann, from: known, to: none)])
        #expect(bench.announce(.none).isEmpty)
    }

    @Test(
        "what a presence says is read as it is meant",
        arguments: [
            ("", .unsupported), ("<x xmlns='vcard-temp:x:update'/>", .notReady),
            ("<x xmlns='vcard-temp:x:update'><photo/></x>", VCardUpdate.none),
            ("<x xmlns='vcard-temp:x:update'><photo> \n</photo></x>", VCardUpdate.none),
            ("<x xmlns='vcard-temp:x:update'><photo>current</photo></x>", .invalid),
            ("<x xmlns='vcard-temp:x:update'><photo>da39a3ee5e6b4b0d3255bfef95601890afd80709</photo></x>", .none),
            ("<x xmlns='vcard-temp:x:other'><photo/></x>", .unsupported),
        ] as [(String, VCardUpdate)])
    func reading(xml: String, update: VCardUpdate) throws {
        #expect(VCardUpdate(try presence(xml)) == update)
    }

    private func presence(_ xml: String) throws -> Presence {
        var children: [Element] = []
        if xml.contains("x:update") {
            let photo: [Element.Node] =
                xml.contains("<photo/>")
                ? [.element(Element("photo", namespace: Namespace.vCardUpdate))]
                : xml.contains("<photo>")
                    ? [
                        .element(
                            Element(
                                "photo", namespace: Namespace.vCardUpdate,
                                children: [
                                    .text(
                                        String(
                                            try #require(
                                                xml.components(between: "<photo>", and: "</photo>"))))
                                ]))
                    ] : []
            children = [Element("x", namespace: Namespace.vCardUpdate, children: photo)]
        }
        return Presence(.available, children: children)
    }

    @Test("a hash is the same in either case, and written in lower case")
    func cases() throws {
        let text = image.hash.description
        #expect(AvatarHash(text.uppercased()) == image.hash && text == text.lowercased() && text.count == 40)
        #expect(text == "ecacf128f742d920118363f9750b41064e63d18c")
        for wrong in ["", "current", String(text.dropLast()), text + "0", String(repeating: "g", count: 40)] {
            #expect(AvatarHash(wrong) == nil)
        }
    }

    @Test("what a contact does not have is not asked for again for a day, however often it is announced (B027, B030)")
    func negative() throws {
        for outcome in [ContactAvatars.Outcome.absent, .image(other)] {
            var bench = AvatarBench()
            #expect(bench.announce(.picture(image.hash)) == [claim])
            let until = Timestamp(milliseconds: bench.now.milliseconds + ContactAvatars.wrongPause)
            #expect(
                bench.fetch(image.hash, outcome) == [.release(image.hash), .failed(.ann, image.hash, until: until)])
            for _ in 0..<30 { #expect(bench.announce(.picture(image.hash)).isEmpty) }
            #expect(bench.machine.avatar(of: .ann) == nil)
            bench.wait(milliseconds: ContactAvatars.wrongPause)
            #expect(bench.announce(.picture(image.hash)) == [claim])
        }
    }

    @Test("who does not answer is asked again after ten minutes; a session that ends proves nothing")
    func silent() throws {
        var bench = AvatarBench()
        _ = bench.announce(.picture(image.hash))
        #expect(bench.fetch(image.hash, .interrupted) == [.release(image.hash)])
        #expect(bench.take(.began) == [claim])
        _ = bench.fetch(image.hash, .silent)
        #expect(bench.take(.began).isEmpty)
        bench.wait(milliseconds: ContactAvatars.silentPause)
        #expect(bench.announce(.picture(image.hash)) == [claim])
    }

    @Test("nodes count before vCards; where a node has nothing any more, the vCard does")
    func order() throws {
        var bench = AvatarBench(kept: [image.hash, other.hash])
        _ = bench.announce(.picture(other.hash))
        let byNode = ContactAvatar(image.hash, from: .pep)
        let byCard = ContactAvatar(other.hash, from: .vCard)
        #expect(bench.take(.published(AvatarMetadata(image), by: .ann)) == [.changed(.ann, from: byCard, to: byNode)])
        #expect(bench.announce(.picture(other.hash)).isEmpty)
        #expect(bench.announce(.none).isEmpty)
        let none = ContactAvatar(nil, from: .pep)
        #expect(bench.take(.published(AvatarMetadata(nil), by: .ann)) == [.changed(.ann, from: byNode, to: none)])
        #expect(bench.announce(.picture(other.hash)) == [.changed(.ann, from: none, to: byCard)])
        #expect(bench.take(.published(nil, by: .ann)).isEmpty)
    }

    @Test("so many fetches a minute begin, four at a time, and the rest waits its turn")
    func budget() throws {
        var bench = AvatarBench(machine: ContactAvatars(perMinute: 6))
        let contacts = (0..<10).map { BareJID(preparedLocal: "c\($0)", preparedDomain: "example.org") }
        var claims = contacts.flatMap { bench.announce(.picture(image.hash), by: $0) }
        #expect(claims.count == ContactAvatars.flightLimit)
        var begun = 0
        while case .claim(let fetch)? = claims.first {
            claims.removeFirst()
            begun += 1
            claims += bench.take(.claimed(fetch, isKept: false)).filter { if case .claim = $0 { true } else { false } }
            claims += bench.take(.fetched(fetch, .absent)).filter {
                if case .failed = $0 { false } else { $0 != .release(fetch.hash) }
            }
        }
        #expect(begun == 6)
        #expect(claims == [.wake(after: .seconds(10))])
        bench.wait(milliseconds: 10_000)
        #expect(bench.take(.woke).count == 2)
    }

    @Test("a picture that came meanwhile by another account is not fetched, and neither is one that is kept")
    func shared() throws {
        var bench = AvatarBench()
        #expect(bench.announce(.picture(image.hash)) == [claim])
        let fetch = ContactAvatars.Fetch(contact: .ann, hash: image.hash)
        let new = ContactAvatar(image.hash, from: .vCard)
        #expect(bench.take(.claimed(fetch, isKept: true)) == [.changed(.ann, from: nil, to: new)])
        bench.kept = [image.hash]
        #expect(
            bench.announce(.picture(image.hash), by: .eve) == [.changed(.eve, from: nil, to: new)])
    }

    @Test("what was known before is no change, and what failed before is not asked for")
    func restored() throws {
        var bench = AvatarBench()
        bench.machine.restore(.ann, ContactAvatar(image.hash, from: .pep), nil)
        let until = Timestamp(milliseconds: bench.now.milliseconds + 1)
        bench.machine.restore(.eve, nil, .init(hash: image.hash, until: until))
        #expect(bench.announce(.picture(image.hash)).isEmpty)
        #expect(bench.announce(.picture(image.hash), by: .eve).isEmpty)
        #expect(bench.announce(.none) != [])
    }
}

extension String {
    fileprivate func components(between start: String, and end: String) -> Substring? {
        guard let from = range(of: start), let to = range(of: end) else { return nil }
        return self[from.upperBound..<to.lowerBound]
    }

    private func range(of part: String) -> Range<String.Index>? {
        indices.lazy.map { self[$0...] }.first { $0.hasPrefix(part) }.map {
            $0.startIndex..<index($0.startIndex, offsetBy: part.count)
        }
    }
}
