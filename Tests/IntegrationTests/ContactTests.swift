import Testing
import XMPPCore

/// What operators do to contacts, by the commands, against the real servers.
@Suite("Contacts by command", .serialized)
struct ContactTests {
    private func play(
        _ name: String, _ kind: ServerKind, _ body: (ContactScene, DoorwardProcess) async throws -> Void
    ) async throws {
        let scene = try await ContactScene(name, kind)
        defer { scene.leave() }
        try await DoorwardProcess.with(scene.deployment) { try await body(scene, $0) }
    }

    @Test(
        "Added, asked with an age that a restart keeps, answered, renamed, grouped, removed",
        arguments: ServerKind.allCases)
    func life(_ kind: ServerKind) async throws {
        let scene = try await ContactScene("life", kind)
        defer { scene.leave() }
        let ann = scene.guest.address
        var first: JSON = .null
        try await DoorwardProcess.with(scene.deployment) { doorward in
            let words = try await scene.done(
                "add", ann, "--name", "Ann B.", "--group", "Guests", "--group", "Club", "--message", "it is us")
            #expect(words.contains("Asked") && words.contains("--asked"), "\(words)")
            let request = try await scene.guest.next("subscribe", from: scene.bot)
            #expect(request.elements.first { $0.name == "status" }?.text == "it is us")
            let due = Guest.Item(subscription: "none", asked: true, name: "Ann B.", groups: ["Club", "Guests"])
            #expect(try await scene.item(ann) == due)
            first = try #require(try await scene.asked().first)
            #expect(first["jid"].string == ann && first["asked_at"].string?.hasSuffix("Z") == true)
            #expect(first["added_by"].string == "contact_add" && first["added_by_name"].string == "root")
            let list = try await scene.done("list", "--asked")
            #expect(list.contains(ann) && list.contains(" ago") && list.contains("Silence may mean"), "\(list)")
            let history = try await doorward.history(of: ann, "the addition") { !$0.isEmpty }
            #expect(history.map { $0["event"].string } == ["contact"], "\(history)")
            #expect(history.first?["action"].string == "add" && history.first?["operator"].string == "root")
            #expect(!doorward.log.contains("it is us") && history.allSatisfy { !"\($0)".contains("it is us") })
        }
        try await DoorwardProcess.with(scene.deployment) { doorward in
            let again = try await scene.asked()
            #expect(again.map { $0["asked_at"] } == [first["asked_at"]])

            scene.guest.presence("subscribed", to: scene.bot)
            try await scene.until(ann, "to", doorward)
            try await eventually("the answer in the log") { doorward.log.contains("contact=\(ann) change=approved") }
            #expect(try await scene.asked().isEmpty)
            #expect(try await scene.done("list", "--asked").contains("waits for nobody"))

            try await scene.done("rename", ann, "Ann C.")
            var due = Guest.Item(subscription: "to", asked: false, name: "Ann C.", groups: ["Club", "Guests"])
            #expect(try await scene.item(ann) == due)
            try await scene.done("group", ann, "--add", "Old friends", "--remove", "Guests")
            due.groups = ["Club", "Old friends"]
            #expect(try await scene.item(ann) == due)
            try await scene.done("rename", ann, "")
            due.name = nil
            let nameless = try await scene.item(ann)
            #expect(nameless?.name ?? "" == "" && nameless?.groups == due.groups)

            // The other direction too, so that the removal has both to end.
            scene.guest.ask(scene.bot)
            try await scene.until(ann, "both", doorward)
            try await scene.guest.next("subscribed", from: scene.bot)
            let words = try await scene.done("remove", ann)
            #expect(words.contains("Removed"), "\(words)")
            try await scene.guest.next("unsubscribe", from: scene.bot)
            try await scene.guest.next("unsubscribed", from: scene.bot)
            #expect(try await scene.item(ann) == nil)
            #expect(try await doorward.ask("roster", "{\"account\":\"\(scene.bot)\"}").array.isEmpty)
            try await eventually("neither sees the other") {
                try await scene.guest.roster()[scene.bot]?.subscription ?? "none" == "none"
            }
            try await eventually("who removed it") {
                let gone = try await scene.contact("list", "--gone", "--json").json.array
                return gone.first?["removed_by"].string == "operator" && gone.first?["removed_by_name"].string == "root"
            }
        }
        // Nobody is there any more at the next login either.
        try await DoorwardProcess.with(scene.deployment) { doorward in
            let roster = try await doorward.ask("roster", "{\"account\":\"\(scene.bot)\"}")
            let pending = try await doorward.ask("pending")
            #expect(roster.array.isEmpty && pending.array.isEmpty)
        }
    }

    @Test(
        "A no is shown; added again, with a removal between or without, the contact is asked",
        arguments: ServerKind.allCases)
    func denied(_ kind: ServerKind) async throws {
        try await play("no", kind) { scene, doorward in
            let ann = scene.guest.address
            try await scene.done("add", ann)
            try await scene.guest.next("subscribe", from: scene.bot)
            let mark = await scene.guest.mark()
            scene.guest.presence("unsubscribed", to: scene.bot)
            try await eventually("the no in the log") { doorward.log.contains("contact=\(ann) change=denied") }
            try await eventually("the ask to be over") { try await scene.item(ann)?.asked == false }
            try await scene.until(ann, "none", doorward)
            try await scene.done("add", ann)
            try await scene.guest.next("subscribe", from: scene.bot, after: mark)
            let later = await scene.guest.mark()
            try await scene.done("remove", ann)
            try await scene.done("add", ann)
            try await scene.guest.next("subscribe", from: scene.bot, after: later)
            #expect(try await scene.asked().map { $0["jid"].string } == [ann])
        }
    }

    @Test("Whom one cannot add: oneself, a contact, and nobody at no server", arguments: ServerKind.allCases)
    func cannot(_ kind: ServerKind) async throws {
        try await play("cannot", kind) { scene, doorward in
            let own = try await scene.contact("add", scene.bot.uppercased())
            #expect(own.status == 1 && own.errors.contains("the account itself"), "\(own.errors)")

            let ann = scene.guest.address
            try await scene.done("add", ann, "--name", "Ann")
            let twice = try await scene.contact("add", ann, "--name", "Other", "--json")
            #expect(twice.status == 1 && twice.errors.contains("was asked and has not answered"), "\(twice.errors)")
            try await scene.guest.settle()
            #expect(scene.guest.count("subscribe", from: scene.bot) == 1)
            #expect(try await scene.item(ann)?.name == "Ann")

            // Nobody of that name: the server says nothing, and so the list shows the age.
            let nobody = "nobody-at-all@\(Hosts.example)"
            let silence = try await scene.done("add", nobody)
            #expect(silence.contains("silence may mean that there is nobody"), "\(silence)")
            #expect(Set(try await scene.asked().compactMap { $0["jid"].string }) == [ann, nobody])

            // No such server: told, and not asked for at each login any more.
            let nowhere = "ann@nowhere.invalid"
            let lost = try await scene.contact("add", nowhere, "--name", "Nowhere")
            // Within a few seconds the command says so; how long the server looks for it is up to the DNS.
            if lost.status == 0 {
                #expect(lost.output.contains("Asked"), "\(lost.output)")
            } else {
                #expect(lost.status == 1 && lost.errors.contains("did not take the request"), "\(lost.errors)")
            }
            try await eventually("the refusal in the log") {
                doorward.log.contains("contact=\(nowhere) change=refused")
            }
            try await eventually("the ask to be taken back") { try await scene.item(nowhere)?.asked == false }
            try await eventually("the list to say so") {
                let listed = try await scene.asked().first { $0["jid"].string == nowhere }
                return listed?["refusal"].string?.isEmpty == false && listed?["asked"].bool == false
                    && listed?["asked_at"].isNull == true
            }
            #expect(try await scene.done("list", "--asked").contains("\(nowhere) "))
            let row = try await doorward.history(of: nowhere, "the refusal") { $0.first?["state"].string == "refused" }
            #expect(row.count == 1 && row.first?["sent_at"].isNull == false, "\(row)")
            let refusal = try await scene.asked().first { $0["jid"].string == nowhere }?["refusal"].string ?? "?"
            #expect(row.first?["reason"].string?.hasSuffix("; " + refusal) == true, "\(refusal) \(row)")
            // Whom one blocks: nothing would arrive, and Prosody would not say so.
            let block = try await doorward.command("block", "add", scene.bot, Hosts.spam)
            #expect(block.status == 0, "\(block.errors)")
            let blocked = try await scene.contact("add", "ann@\(Hosts.spam)")
            #expect(blocked.status == 1 && blocked.errors.contains("block remove"), "\(blocked.errors)")
            for contact in [nowhere, nobody] { try await scene.done("remove", contact) }
            #expect(try await scene.phone.roster().keys.sorted() == [ann])
            let none = try await scene.contact("remove", nowhere)
            #expect(none.status == 1 && none.errors.contains("is no contact"), "\(none.errors)")
        }
    }

    @Test(
        "Who asks us is refused when it is removed, and approved ahead only where asked for",
        arguments: ServerKind.allCases)
    func directions(_ kind: ServerKind) async throws {
        try await play("ways", kind) { scene, doorward in
            let ann = scene.guest.address
            scene.guest.ask(scene.bot)
            let row = try await doorward.row(of: ann)
            let added = try await scene.done("add", ann)
            #expect(added.contains("doorward pending \(row["id"].int ?? 0)"), "\(added)")
            try await scene.guest.next("subscribe", from: scene.bot)
            let removed = try await scene.done("remove", ann)
            #expect(removed.contains("request \(row["id"].int ?? 0) is refused"), "\(removed)")
            try await scene.guest.next("unsubscribed", from: scene.bot)
            try await doorward.confirmed(ann)
            // ejabberd tells nobody that a request was taken back; it is gone all the same.
            if kind == .prosody { try await scene.guest.next("unsubscribe", from: scene.bot) }
            let server = try await Servers.shared.server(kind)
            let again = try await Guest.login(ann, password: "pw", to: server, resource: "second")
            try await again.settle()
            #expect(again.count("subscribe", from: scene.bot) == 0)
            again.leave()
            #expect(try await scene.item(ann) == nil)

            let ahead = try await scene.contact("add", ann, "--preapprove")
            guard kind == .prosody else {
                #expect(ahead.status == 1 && ahead.errors.contains("--preapprove"), "\(ahead.errors)")
                #expect(try await scene.item(ann) == nil)
                return
            }
            #expect(ahead.status == 0, "\(ahead.errors)")
            scene.guest.ask(scene.bot)
            try await scene.guest.next("subscribed", from: scene.bot)
            #expect(try await doorward.ask("pending").array.isEmpty)
            // Taken back with the item: the next request is seen.
            try await scene.done("remove", ann)
            scene.guest.ask(scene.bot, status: "once more")
            try await doorward.row(of: ann)
            #expect(scene.guest.count("subscribed", from: scene.bot) == 1)
        }
    }

    @Test("An approval ahead outlives a set of ours and of others, lets in once, and leaves a trace")
    func approvals() async throws {
        try await play("ahead", .prosody) { scene, doorward in
            let ann = scene.guest.address
            func shown() async throws -> Bool? {
                try await doorward.ask("roster", "{\"account\":\"\(scene.bot)\"}").array
                    .first { $0["jid"].string == ann }?["approved"].bool
            }
            // Refused, put into a group, renamed by another client: it still stands.
            try await scene.done("add", ann)
            try await scene.guest.next("subscribe", from: scene.bot)
            scene.guest.presence("unsubscribed", to: scene.bot)
            try await eventually("the ask to be over") { try await scene.item(ann)?.asked == false }
            try await scene.until(ann, "none", doorward)
            let second = await scene.guest.mark()
            try await scene.done("add", ann, "--preapprove")
            try await scene.guest.next("subscribe", from: scene.bot, after: second)
            let again = try await scene.done("add", ann, "--preapprove")
            #expect(again.contains("nothing was sent"), "\(again)")
            scene.guest.presence("unsubscribed", to: scene.bot)
            try await eventually("the second ask to be over") { try await scene.item(ann)?.asked == false }
            try await scene.done("group", ann, "--add", "VIP")
            #expect(try await shown() == true)
            let mark = await scene.guest.mark()
            scene.guest.ask(scene.bot)
            try await scene.guest.next("subscribed", from: scene.bot, after: mark)
            let row = try await doorward.history(of: ann, "that it was let in") { rows in
                rows.contains { $0["action"].string == "let_in" || $0["decision"].string == "accept" }
            }
            let entry = row.first { $0["action"].string == "let_in" || $0["decision"].string == "accept" }
            #expect(entry?["operator"].string == "root", "\(row)")
            #expect(entry?["reason"].string == "pre-approved by root", "\(row)")
            #expect(try await doorward.ask("pending").array.isEmpty)
            try await eventually("its end") { try await shown() == false }
            // Who leaves and asks again is judged anew; the group is still there.
            scene.guest.presence("unsubscribe", to: scene.bot)
            try await scene.until(ann, "none", doorward)
            scene.guest.ask(scene.bot, status: "once more")
            try await doorward.row(of: ann)
            #expect(try await scene.item(ann)?.groups == ["VIP"])
        }
    }
}
