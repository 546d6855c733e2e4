import Testing

@testable import DoorwardConsole

@Suite("Admission to the control socket")
struct ControlAdmissionTests {
    private var admission = ControlAdmission(serviceUser: 900)

    @Test("one user has 16 connections, and takes none from root and the service's user")
    mutating func users() {
        for _ in 0..<16 { #expect(admission.admit(1000) == nil) }
        #expect(admission.admit(1000) == "this user has 16 control connections, the most of one; try again")
        #expect(admission.admit(1001) == nil)
        for _ in 0..<32 {
            #expect(admission.admit(0) == nil)
            #expect(admission.admit(900) == nil)
        }
        #expect(admission.admit(0) == "the service has 64 control connections, its most; try again")
        admission.leave(900)
        #expect(admission.admit(0) == nil)
        admission.leave(1000)
        #expect(admission.admit(1000) == nil)
    }

    @Test("many users together have 64")
    mutating func crowd() {
        for user in 1000..<1064 { #expect(admission.admit(UInt32(user)) == nil) }
        #expect(admission.admit(2000) == "the service has 64 control connections, its most; try again")
        #expect(admission.admit(900) == nil)
    }

    @Test("whoever leaves without having come changes nothing")
    mutating func leaving() {
        admission.leave(1000)
        admission.leave(0)
        for _ in 0..<64 { #expect(admission.admit(0) == nil) }
        #expect(admission.admit(0) != nil)
    }

    @Test("the log hears of it at most once a minute, with how many there were")
    mutating func notices() {
        #expect(admission.turnedAway(1000, at: .seconds(5)) == .init(user: 1000, count: 1))
        #expect(admission.turnedAway(1000, at: .seconds(6)) == nil)
        #expect(admission.turnedAway(1001, at: .seconds(64)) == nil)
        #expect(admission.turnedAway(1002, at: .seconds(65)) == .init(user: 1002, count: 3))
        #expect(admission.turnedAway(1002, at: .seconds(66)) == nil)
    }
}
