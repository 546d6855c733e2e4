import Testing

@testable import XMPPTransport

/// Drives a race by hand, and tells what it did as text.
private struct Driver {
    var race: ConnectRace
    var story: [String] = []
    /// The attempts under way, by their address.
    var attempts: [String: ConnectRace.AttemptID] = [:]
    private var names: [ConnectRace.AttemptID: String] = [:]

    init(_ groups: [[ConnectStep.Target]]) {
        race = ConnectRace(groups)
        send(.started)
    }

    mutating func send(_ event: ConnectRace.Event) {
        for action in race.handle(event) {
            switch action {
            case .lookUp(let target, let host): story.append("look up \(target) \(host)")
            case .endLookUps: story.append("end look-ups")
            case .startTimer(let timer): story.append("start \(timer)")
            case .stopTimer(let timer): story.append("stop \(timer)")
            case .connect(let id, let address):
                attempts[address.description] = id
                names[id] = address.description
                story.append("connect \(address)")
            case .drop(let id):
                let name = names[id] ?? "?"
                attempts[name] = nil
                story.append("drop \(name)")
            case .report: break
            case .use(let id, let target):
                story.append("use \(names[id] ?? "?")\(target.isDirectTLS ? " direct" : "")")
            case .fail(let error): story.append("fail \(error.code.name)")
            }
        }
    }

    mutating func answer(_ target: Int, _ family: IPFamily, _ addresses: String...) {
        send(.answered(target: target, family, .success(addresses.compactMap { IPAddress($0) })))
    }

    mutating func fail(_ address: String) {
        guard let id = attempts.removeValue(forKey: address) else { return }
        send(.failed(id, TransportError(.connectFailed, address)))
    }

    mutating func connect(_ address: String) {
        guard let id = attempts[address] else { return }
        send(.connected(id))
    }

    /// What happened since the last call.
    mutating func news() -> [String] {
        defer { story = [] }
        return story
    }
}

private func target(_ host: String, _ port: UInt16 = 5222, direct: Bool = false) -> ConnectStep.Target {
    ConnectStep.Target(host: host, port: port, isDirectTLS: direct)
}

@Suite("The race of addresses")
struct ConnectRaceTests {
    @Test("begins as soon as the IPv6 addresses are known (RFC 8305 section 3)")
    func sixFirst() {
        var driver = Driver([[target("h")]])
        #expect(driver.news() == ["look up 0 h"])
        driver.answer(0, .v6, "2001::1")
        #expect(driver.news() == ["connect [2001::1]:5222", "start attempt"])
    }

    @Test("waits 50 ms for IPv6 where IPv4 is known first, and begins when it comes")
    func resolutionDelay() {
        var driver = Driver([[target("h")]])
        driver.answer(0, .v4, "10.0.0.1")
        #expect(driver.news() == ["look up 0 h", "start resolution"])
        driver.answer(0, .v6, "2001::1")
        #expect(driver.news() == ["stop resolution", "connect [2001::1]:5222", "start attempt"])
    }

    @Test("goes on without IPv6 after 50 ms, and takes it in when it comes late")
    func lateSix() {
        var driver = Driver([[target("h")]])
        driver.answer(0, .v4, "10.0.0.1", "10.0.0.2")
        driver.send(.timerFired(.resolution))
        #expect(driver.news() == ["look up 0 h", "start resolution", "connect 10.0.0.1:5222", "start attempt"])
        driver.answer(0, .v6, "2001::1")
        #expect(driver.news() == [])
        driver.send(.timerFired(.attempt))
        #expect(driver.news() == ["connect [2001::1]:5222", "start attempt"])
    }

    @Test("begins at once where there is no IPv6")
    func noSix() {
        var driver = Driver([[target("h")]])
        driver.answer(0, .v4, "10.0.0.1")
        driver.answer(0, .v6)
        #expect(driver.news().suffix(2) == ["connect 10.0.0.1:5222", "start attempt"])
    }

    @Test("tries the next address 250 ms later, or at once where one failed, families by turns")
    func alternating() {
        var driver = Driver([[target("h")]])
        driver.answer(0, .v4, "10.0.0.1", "10.0.0.2")
        driver.answer(0, .v6, "2001::1", "2001::2")
        _ = driver.news()
        driver.send(.timerFired(.attempt))
        #expect(driver.news() == ["connect 10.0.0.1:5222", "start attempt"])
        driver.fail("[2001::1]:5222")
        #expect(driver.news() == ["stop attempt", "connect [2001::2]:5222", "start attempt"])
        driver.send(.timerFired(.attempt))
        #expect(driver.news() == ["connect 10.0.0.2:5222", "start attempt"])
        driver.send(.timerFired(.attempt))
        #expect(driver.news() == [])
        driver.connect("10.0.0.1:5222")
        #expect(
            driver.news() == [
                "drop 10.0.0.2:5222", "drop [2001::2]:5222", "end look-ups", "use 10.0.0.1:5222",
            ])
    }

    @Test("takes the targets of one priority by turns, and their families (XEP-0495)")
    func targets() {
        var driver = Driver([[target("a", 1), target("b", 2)]])
        driver.answer(1, .v4, "10.0.1.1")
        driver.answer(1, .v6, "2001::11")
        driver.answer(0, .v4, "10.0.0.1")
        #expect(driver.news() == ["look up 0 a", "look up 1 b", "start resolution"])
        driver.answer(0, .v6, "2001::1")
        for _ in 0..<4 { driver.send(.timerFired(.attempt)) }
        #expect(
            driver.news().filter { $0.hasPrefix("connect") } == [
                "connect [2001::1]:1", "connect 10.0.1.1:2", "connect 10.0.0.1:1", "connect [2001::11]:2",
            ])
    }

    @Test("does not wait for a target's slow names longer than 50 ms")
    func slowTarget() {
        var driver = Driver([[target("a", 1), target("b", 2)]])
        driver.answer(1, .v6, "2001::11")
        driver.send(.timerFired(.resolution))
        #expect(driver.news().suffix(2) == ["connect [2001::11]:2", "start attempt"])
        driver.answer(0, .v6, "2001::1")
        driver.fail("[2001::11]:2")
        #expect(driver.news() == ["stop attempt", "connect [2001::1]:1", "start attempt"])
    }

    @Test("goes to the next priority only after all of the one before has failed")
    func priorities() {
        var driver = Driver([[target("10.0.0.1"), target("h")], [target("10.0.0.3")], [target("10.0.0.4")]])
        driver.answer(1, .v4, "10.0.0.2")
        driver.answer(1, .v6)
        driver.send(.timerFired(.attempt))
        driver.send(.timerFired(.attempt))
        driver.fail("10.0.0.2:5222")
        #expect(!driver.news().contains("connect 10.0.0.3:5222"))
        driver.fail("10.0.0.1:5222")
        #expect(driver.news().suffix(2) == ["connect 10.0.0.3:5222", "start attempt"])
        driver.fail("10.0.0.3:5222")
        driver.fail("10.0.0.4:5222")
        #expect(driver.news().last == "fail connecting failed")
    }

    @Test("passes over a target whose names fail, and says so where there is no other")
    func names() {
        var driver = Driver([[target("a")], [target("b")]])
        driver.send(.answered(target: 0, .v6, .failure(TransportError(.dnsFailed, "SERVFAIL"))))
        driver.answer(0, .v4)
        #expect(driver.news().last == "look up 0 b")
        driver.answer(0, .v4)
        driver.answer(0, .v6)
        #expect(driver.news() == ["fail name lookup failed"])
        #expect(driver.race.error?.detail == "b has no address")
    }

    @Test("tries at most eight addresses of a host, of both families")
    func addressLimit() {
        var driver = Driver([[target("h")]])
        driver.send(.answered(target: 0, .v6, .success((1...100).compactMap { IPAddress("2001::\($0)") })))
        driver.send(.answered(target: 0, .v4, .success((1...100).compactMap { IPAddress("10.0.0.\($0)") })))
        var tried: [String] = []
        while let address = driver.attempts.keys.first {
            tried.append(address)
            driver.fail(address)
        }
        #expect(tried.count == 8)
        #expect(tried.count { $0.hasPrefix("10.") } == 4)
        #expect(driver.news().last == "fail connecting failed")
    }

    @Test("has at most eight attempts under way")
    func atOnce() {
        var driver = Driver([(1...16).map { target("10.0.0.\($0)") }])
        for _ in 0..<20 { driver.send(.timerFired(.attempt)) }
        #expect(driver.attempts.count == 8)
        driver.fail("10.0.0.1:5222")
        #expect(driver.attempts.count == 8)
        #expect(driver.attempts["10.0.0.9:5222"] != nil)
    }

    @Test("goes on without a target whose TLS failed, with those that it had left behind")
    func handshake() {
        var driver = Driver([[target("10.0.0.1", 443, direct: true), target("10.0.0.2")], [target("10.0.0.3")]])
        driver.send(.timerFired(.attempt))
        driver.connect("10.0.0.1:443")
        #expect(driver.news().suffix(3) == ["drop 10.0.0.2:5222", "stop attempt", "use 10.0.0.1:443 direct"])
        driver.send(.handshakeFailed(TransportError(.certificateRejected, "wrong name")))
        #expect(driver.news() == ["connect 10.0.0.2:5222", "start attempt"])
        driver.fail("10.0.0.2:5222")
        driver.fail("10.0.0.3:5222")
        // What the certificate was refused for says more than that the others were not reached.
        #expect(driver.news().last == "fail certificate refused")
    }

    @Test("does not try a target's other addresses after its TLS failed")
    func handshakeOfSeveral() {
        var driver = Driver([[target("a", 443, direct: true)], [target("10.0.0.3")]])
        driver.answer(0, .v6, "2001::1", "2001::2")
        driver.connect("[2001::1]:443")
        driver.answer(0, .v4, "10.0.0.1")
        driver.send(.handshakeFailed(TransportError(.tlsFailed, "no")))
        #expect(driver.news().suffix(2) == ["connect 10.0.0.3:5222", "start attempt"])
    }

    @Test("tells what refused a certificate, and else what failed first, however many there are")
    func mostTelling() {
        for (codes, told) in [
            ([TransportError.Code.timedOut, .tlsFailed], "timed out"),
            ([.tlsFailed, .certificateRejected, .pinMismatch, .timedOut], "certificate refused"),
        ] {
            var driver = Driver([codes.indices.map { target("10.0.0.\($0)", 443, direct: true) }])
            for (index, code) in codes.enumerated() {
                driver.connect("10.0.0.\(index):443")
                driver.send(.handshakeFailed(TransportError(code, "x")))
            }
            #expect(driver.news().last == "fail \(told)")
        }
    }

    @Test("leaves all but its winner, names that were asked for too, and nothing where nothing is left")
    func withoutWinner() throws {
        var driver = Driver([[target("a"), target("b")], [target("10.0.0.3")]])
        #expect(driver.race.withoutWinner().map { _ in true } == nil)
        driver.answer(0, .v6, "2001::1", "2001::2")
        driver.connect("[2001::1]:5222")
        _ = driver.news()
        driver.race = try #require(driver.race.withoutWinner())
        driver.send(.wentOn)
        #expect(driver.news() == ["look up 1 b"])
        driver.answer(0, .v4, "10.0.0.1")
        driver.answer(1, .v6)
        driver.answer(1, .v4)
        #expect(driver.news() == ["connect 10.0.0.3:5222", "start attempt"])
        driver.connect("10.0.0.3:5222")
        #expect(driver.race.withoutWinner().map { _ in true } == nil)
    }

    @Test("reports every step, in order")
    func reports() {
        var race = ConnectRace([[target("h", 443, direct: true)], [target("10.0.0.9")]])
        var steps: [ConnectStep] = []
        func send(_ event: ConnectRace.Event) {
            for action in race.handle(event) { if case .report(let step) = action { steps.append(step) } }
        }
        let refused = TransportError(.connectFailed, "refused")
        send(.started)
        send(.answered(target: 0, .v4, .success([IPAddress("10.0.0.1")].compactMap { $0 })))
        send(.answered(target: 0, .v6, .failure(refused)))
        send(.connected(ConnectRace.AttemptID(number: 1)))
        send(.handshakeFailed(refused))
        send(.failed(ConnectRace.AttemptID(number: 2), refused))
        #expect(
            steps == [
                .resolved(host: "h", addresses: ["10.0.0.1"]), .trying("10.0.0.1:443"),
                .reached("10.0.0.1:443", isDirectTLS: true), .failed("10.0.0.1:443", refused),
                .trying("10.0.0.9:5222"), .failed("10.0.0.9:5222", refused),
            ])
    }

    @Test("survives events in any order, and ends", arguments: 0..<200)
    func anyOrder(_ seed: Int) {
        var generator = Seeded(state: UInt64(seed))
        let groups = (0..<3).map { group in
            (0..<Int.random(in: 1...3, using: &generator)).map { target("h\(group)\($0)", direct: $0 == 0) }
        }
        var driver = Driver(groups)
        var number = 0
        for _ in 0..<2000 where driver.story.last?.hasPrefix("fail") != true {
            let targetIndex = Int.random(in: 0..<4, using: &generator)
            let family = IPFamily.allCases.randomElement(using: &generator) ?? .v4
            number += 1
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: driver.answer(targetIndex, family)
            case 1:
                driver.answer(targetIndex, family, family == .v4 ? "10.0.\(number % 200).1" : "2001::\(number % 200)")
            case 2: driver.send(.answered(target: targetIndex, family, .failure(TransportError(.dnsFailed, "x"))))
            case 3: driver.send(.timerFired(.resolution))
            case 4: driver.send(.timerFired(.attempt))
            case 5: if let address = driver.attempts.keys.sorted().first { driver.fail(address) }
            case 6: if let address = driver.attempts.keys.sorted().last { driver.connect(address) }
            default: driver.send(.handshakeFailed(TransportError(.tlsFailed, "x")))
            }
        }
        #expect(driver.story.count { $0.hasPrefix("fail") } == 1 || driver.story.contains { $0.hasPrefix("use") })
    }
}
