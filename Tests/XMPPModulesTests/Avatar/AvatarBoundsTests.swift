import Testing
import XMPPCore
import XMPPModules

/// What one contact, and all of them together, can make the machine of contacts' pictures do.
@Suite struct AvatarBoundsTests {
    private func hash(_ number: Int) -> AvatarHash { AvatarHash(of: Array("\(number)".utf8)) }

    private func contact(_ number: Int) -> BareJID {
        BareJID(preparedLocal: "c\(number)", preparedDomain: "example.org")
    }

    private func claims(_ actions: [ContactAvatars.Action]) -> [ContactAvatars.Fetch] {
        actions.compactMap { if case .claim(let fetch) = $0 { fetch } else { nil } }
    }

    @Test("10,000 pictures of one contact are one fetch in ten minutes, and the last one that it announced comes (D5)")
    func changes() throws {
        for outcome in [ContactAvatars.Outcome.absent, .image(try Pictures.image())] {
            var bench = AvatarBench()
            var fetches = 0
            var rests = 0
            // A second each: 16 times ten minutes, and the first one.
            for number in 0..<10_000 {
                let actions = bench.announce(.picture(hash(number)))
                rests += actions.count { if case .rest = $0 { true } else { false } }
                for fetch in claims(actions) {
                    fetches += 1
                    #expect(fetch.hash == hash(number))
                    _ = bench.fetch(fetch.hash, outcome)
                }
                bench.wait(milliseconds: 1_000)
            }
            #expect(fetches == 17)
            // One timer, whatever is announced: it was never told that it is over.
            #expect(rests == 1)
            bench.wait(milliseconds: ContactAvatars.contactPause)
            #expect(claims(bench.take(.rested)).map(\.hash) == [hash(9_999)])
        }
    }

    @Test("a picture that is kept costs nothing and is taken at once, also of a contact that was just asked")
    func kept() throws {
        let image = try Pictures.image()
        var bench = AvatarBench()
        _ = bench.announce(.picture(hash(1)))
        _ = bench.fetch(hash(1), .absent)
        bench.kept = [image.hash]
        let new = ContactAvatar(image.hash, from: .vCard)
        #expect(bench.announce(.picture(image.hash)) == [.changed(.ann, from: nil, to: new)])
    }

    @Test("a contact that does not answer is left alone ever longer, and one answer ends that")
    func silences() throws {
        var bench = AvatarBench()
        var pauses: [Int64] = []
        for number in 0..<10 {
            #expect(claims(bench.announce(.picture(hash(number)))).count == 1)
            let actions = bench.fetch(hash(number), .silent)
            guard case .failed(_, _, let until)? = actions.last else { continue }
            pauses.append((until.milliseconds - bench.now.milliseconds) / ContactAvatars.silentPause)
            // Not even another picture is asked for before that.
            bench.wait(milliseconds: until.milliseconds - bench.now.milliseconds - 1)
            #expect(claims(bench.announce(.picture(hash(-number - 1)))).isEmpty)
            bench.wait(milliseconds: 1)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 64, 64, 64])
        _ = bench.announce(.picture(hash(20)))
        _ = bench.fetch(hash(20), .absent)
        bench.wait(milliseconds: ContactAvatars.contactPause)
        _ = bench.announce(.picture(hash(21)))
        let until = Timestamp(milliseconds: bench.now.milliseconds + ContactAvatars.silentPause)
        #expect(bench.fetch(hash(21), .silent).last == .failed(.ann, hash(21), until: until))
    }

    @Test("four that do not answer hold up the others until they are given up, and not again after that")
    func four() throws {
        var bench = AvatarBench()
        let silent = (0..<4).map { contact($0) }
        let begun = silent.flatMap { claims(bench.announce(.picture(hash(0)), by: $0)) }
        #expect(begun.map(\.contact) == silent)
        #expect(bench.announce(.picture(hash(1)), by: contact(5)).isEmpty)
        for fetch in begun { _ = bench.take(.claimed(fetch, isKept: false)) }
        #expect(claims(bench.take(.fetched(begun[0], .silent))).map(\.contact) == [contact(5)])
        for fetch in begun.dropFirst() { _ = bench.take(.fetched(fetch, .silent)) }
        // With ever new pictures they take nobody's place.
        for number in 2..<100 {
            for contact in silent { #expect(claims(bench.announce(.picture(hash(number)), by: contact)).isEmpty) }
        }
        let served = (6..<9).flatMap { claims(bench.announce(.picture(hash(1)), by: contact($0))) }
        #expect(served.map(\.contact) == (6..<9).map { contact($0) })
    }

    @Test("when the contact was last asked is known from before, and a clock that is set back stops nothing")
    func clocks() throws {
        var bench = AvatarBench()
        bench.machine.restore(.ann, nil, nil, askedAt: bench.now)
        bench.wait(milliseconds: 1)
        #expect(claims(bench.announce(.picture(hash(1)))).isEmpty)
        bench.wait(milliseconds: -2)
        #expect(claims(bench.announce(.picture(hash(1)))).count == 1)
    }

    @Test("who has left is not asked when the others are")
    func gone() throws {
        var bench = AvatarBench()
        _ = bench.announce(.picture(hash(1)))
        _ = bench.fetch(hash(1), .absent)
        #expect(bench.announce(.picture(hash(2))).count == 1)
        _ = bench.take(.removed(.ann))
        bench.wait(milliseconds: ContactAvatars.contactPause)
        #expect(bench.take(.rested).isEmpty)
    }

    @Test("pictures that wait are bounded: the one over the bound is fetched when it is announced again (D7)")
    func queue() throws {
        var bench = AvatarBench(machine: ContactAvatars(perMinute: 60_000))
        let count = ContactAvatars.flightLimit + ContactAvatars.queueLimit
        var open: [ContactAvatars.Fetch] = []
        for number in 0..<10 * count { open += claims(bench.announce(.picture(hash(1)), by: contact(number))) }
        var fetched = 0
        while let fetch = open.popLast() {
            fetched += 1
            _ = bench.take(.claimed(fetch, isKept: false))
            open += claims(bench.take(.fetched(fetch, .absent)))
            bench.wait(milliseconds: 100)
        }
        #expect(fetched == count)
        #expect(claims(bench.announce(.picture(hash(1)), by: contact(count))).count == 1)
    }

    @Test("contacts that are known are bounded: one over the bound is not, until another has left (D7)")
    func contacts() throws {
        var bench = AvatarBench()
        for number in 0...ContactAvatars.limit { _ = bench.announce(.none, by: contact(number)) }
        #expect(bench.machine.avatar(of: contact(ContactAvatars.limit - 1)) != nil)
        #expect(bench.machine.avatar(of: contact(ContactAvatars.limit)) == nil)
        _ = bench.take(.removed(contact(0)))
        _ = bench.announce(.none, by: contact(ContactAvatars.limit))
        #expect(bench.machine.avatar(of: contact(ContactAvatars.limit)) != nil)
    }

    @Test("of one contact the four newest are kept in memory, and what it changes drives out nobody's")
    func memory() throws {
        let cache = MemoryAvatarCache(limit: 2_000)
        let kept = try Pictures.image()
        cache.keep(kept, of: .eve)
        for number in 0..<1_000 {
            cache.keep(try Pictures.image(Pictures.other + Array("\(number)".utf8)), of: .ann)
        }
        #expect(cache.contains(kept.hash))
        let ann = try (0..<1_000).map { try Pictures.image(Pictures.other + Array("\($0)".utf8)).hash }
        #expect(ann.filter { cache.contains($0) } == Array(ann.suffix(MemoryAvatarCache.limitPerContact)))
    }
}
