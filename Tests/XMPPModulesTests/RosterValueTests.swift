import Testing
import XMPPCore

@testable import XMPPModules

/// The roster as a value, beside a dictionary that does the same.
@Suite struct RosterValueTests {
    private static func item(_ random: inout SplitMix, _ jid: BareJID) -> RosterItem {
        RosterItem(
            jid: jid,
            name: Bool.random(using: &random) ? "Name \(Int.random(in: 0..<1000, using: &random)) é" : nil,
            subscription: RosterItem.Subscription.allCases.randomElement(using: &random) ?? .none,
            asked: Bool.random(using: &random),
            groups: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                "Group \(Int.random(in: 0..<20, using: &random))"
            },
            isApproved: Bool.random(using: &random))
    }

    private static func jid(_ random: inout SplitMix) -> BareJID {
        let number = Int.random(in: 0..<300, using: &random)
        return BareJID(
            preparedLocal: number.isMultiple(of: 50) ? nil : "contact\(number % 30)",
            preparedDomain: "d\(number % 11).example.org")
    }

    @Test("it has what was put in last, whatever was renamed, removed and put in before")
    func modelled() {
        var random = SplitMix(seed: 2121)
        for _ in 0..<20 {
            var (roster, model) = (Roster(), [BareJID: RosterItem]())
            for _ in 0..<2000 {
                let jid = Self.jid(&random)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    #expect(roster.remove(jid) == model.removeValue(forKey: jid))
                } else {
                    let item = Self.item(&random, jid)
                    #expect(roster.set(item) == model.updateValue(item, forKey: jid))
                }
            }
            #expect(roster.count == model.count && roster.isEmpty == model.isEmpty)
            #expect(Set(roster.keys) == Set(model.keys))
            #expect(Set(roster) == Set(model.values) && roster.values.count == model.count)
            for _ in 0..<200 {
                let jid = Self.jid(&random)
                #expect(roster[jid] == model[jid] && roster.contains(jid) == (model[jid] != nil))
                #expect(roster.subscription(of: jid) == model[jid]?.subscription ?? .none)
            }
            #expect(Roster(model.values) == roster)
        }
    }

    @Test("beside another roster it shows who is new or changed, and who is gone, whatever both went through")
    func compared() {
        var random = SplitMix(seed: 77)
        for round in 0..<60 {
            var before = Roster()
            for _ in 0..<round * 4 { before.set(Self.item(&random, Self.jid(&random))) }
            // Numbers of domains and groups stay, or are others.
            var after = Bool.random(using: &random) ? before : Roster(before.values.shuffled(using: &random))
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let jid = Self.jid(&random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: after.remove(jid)
                case 1: after.set(Self.item(&random, jid))
                case 2: if let old = after[jid] { after.set(RosterItem(jid: jid, name: old.name, groups: old.groups)) }
                default: if let old = after[jid] { after.set(old) }
                }
            }
            let (changed, gone) = after.compared(with: before)
            #expect(Set(gone) == Set(before.keys.filter { !after.contains($0) }) && Set(gone).count == gone.count)
            #expect(Set(changed) == Set(after.filter { before[$0.jid] != $0 }) && Set(changed).count == changed.count)
            #expect(before.compared(with: before).changed.isEmpty && before.compared(with: before).gone.isEmpty)
        }
    }

    @Test("a copy stays as it was when the original changes")
    func copies() {
        var roster: Roster = [RosterItem(jid: .ally, name: "Ally"), RosterItem(jid: .new)]
        let copy = roster
        roster.set(RosterItem(jid: .ally, name: "Other", subscription: .both))
        roster.remove(.new)
        #expect(copy[.ally]?.name == "Ally" && copy.count == 2)
        #expect(roster[.ally]?.name == "Other" && roster.count == 1)
        #expect(copy != roster && roster == [RosterItem(jid: .ally, name: "Other", subscription: .both)])
    }

    @Test("names that differ in their bytes only are two, and so are groups")
    func bytes() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        var roster: Roster = [RosterItem(jid: .ally, name: composed, groups: [composed, decomposed])]
        #expect(roster[.ally]?.groups.map { $0.utf8.count } == [5, 6])
        roster.set(RosterItem(jid: .ally, name: decomposed))
        #expect(roster[.ally]?.name?.utf8.count == 6)
        #expect(RosterItem(jid: .ally, name: composed) != RosterItem(jid: .ally, name: decomposed))
    }

    @Test("renaming and regrouping for ever takes no more room")
    func bounded() {
        var roster = Roster((0..<100).map { RosterItem(jid: .of("u\($0)"), name: "User \($0)") })
        var most = 0
        for round in 0..<50_000 {
            let jid = BareJID.of("u\(round % 100)")
            roster.set(RosterItem(jid: jid, name: "Another name, the \(round)th", groups: ["Group \(round)"]))
            if round % 1000 == 999 {
                roster.remove(jid)
                roster.set(RosterItem(jid: BareJID(preparedLocal: "u", preparedDomain: "d\(round).example")))
                roster.remove(BareJID(preparedLocal: "u", preparedDomain: "d\(round).example"))
            }
            most = max(most, roster.heldBytes)
        }
        #expect(roster.count >= 99)
        #expect(most < 64_000, "\(most)")
    }

    @Test("10,000 contacts with names, groups and subscriptions take well below a MiB")
    func small() {
        let roster = Roster(
            (0..<10_000).map {
                RosterItem(
                    jid: .of("contact\($0)"), name: "Contact Number \($0)", subscription: .both,
                    groups: ["Group \($0 % 20)"])
            })
        #expect(roster.count == 10_000)
        #expect(roster.heldBytes < 1_048_576, "\(roster.heldBytes)")
    }
}
