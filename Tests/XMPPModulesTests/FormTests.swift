import Testing
import XMPPCore
import XMPPModules

/// Forms: read, written, filled in.
@Suite struct FormTests {
    private static let form = DataForm(
        .form, title: "A person", instructions: ["Say who."],
        fields: [
            .hidden("FORM_TYPE", "urn:example:person"), .note("All of it stays here."),
            .text("name", "Name", isRequired: true), .lines("about", "About", ["one", "two"]),
            .flag("loud", "Loud", false), .address("friend", "Friend"),
            .choice("colour", "Colour", [.init("red", label: "Red"), .init("blue")], "red"),
            FormField("days", .listMulti, label: "Days", options: [.init("mo"), .init("tu")]),
        ])

    private func filled(_ fields: FormField...) throws(FormFaults) -> DataForm {
        try Self.form.filled(in: DataForm(.submit, fields: fields))
    }

    private func faults(_ fields: FormField...) -> [String: String] {
        do {
            _ = try Self.form.filled(in: DataForm(.submit, fields: fields))
            return [:]
        } catch {
            return Dictionary(uniqueKeysWithValues: error.faults.map { ($0.field, $0.code.name) })
        }
    }

    @Test("a form is read as it was written")
    func roundTrip() throws {
        #expect(DataForm(Self.form.element) == Self.form)
        let result = DataForm(
            .result, columns: [FormField("name", .textSingle, label: "Name")],
            rows: [[FormField("name", values: ["Ann"])], [FormField("name", values: ["Bob"])]])
        #expect(DataForm(result.element) == result)
        #expect(Self.form.formType == "urn:example:person")
    }

    @Test(
        "what is filled in is taken in the form that programs want; what is left out keeps its value; the rest is ignored"
    )
    func taken() throws {
        let filled = try filled(
            FormField("name", values: ["Ann"]), FormField("loud", values: ["1"]),
            FormField("friend", values: ["BOB@Example.ORG"]), FormField("about", values: ["a\nb\r\nc"]),
            FormField("days", values: ["tu", "mo"]), FormField("unknown", values: ["x"]),
            FormField("FORM_TYPE", values: ["urn:example:forged"]))
        #expect(filled.value("name") == "Ann")
        #expect(filled["loud"]?.flag == true && filled.value("loud") == "true")
        #expect(filled.value("friend") == "bob@example.org")
        #expect(filled["about"]?.values == ["a", "b", "c"])
        #expect(filled["days"]?.values == ["tu", "mo"])
        #expect(filled.value("colour") == "red")
        #expect(filled["unknown"] == nil)
        #expect(filled.value("FORM_TYPE") == "urn:example:person")
        #expect(filled.fields.count == 7)
        #expect(filled.kind == .submit)
    }

    @Test("all that is wrong is said, by field, and without what was filled in")
    func wrong() throws {
        #expect(faults() == ["name": "missing"])
        #expect(faults(FormField("name", values: [""])) == ["name": "missing"])
        #expect(faults(FormField("name", values: ["a", "b"])) == ["name": "too-many"])
        #expect(faults(FormField("name", values: ["a"]), FormField("name", values: ["b"])) == ["name": "repeated"])
        let all = faults(
            FormField("name", values: ["a"]), FormField("loud", values: ["perhaps"]),
            FormField("friend", values: ["@secret"]), FormField("colour", values: ["green"]),
            FormField("days", values: ["mo", "su"]))
        #expect(
            all == [
                "loud": "not-a-flag", "friend": "not-an-address", "colour": "not-an-option", "days": "not-an-option",
            ])
        do {
            _ = try filled(FormField("name", values: ["a"]), FormField("friend", values: ["@secret"]))
        } catch {
            #expect(error.description == "Friend must be an address")
        }
    }

    @Test("an answer is made of the form's own fields and begins with what it was offered")
    func submission() {
        let answer = Self.form.submission(["name": ["Ann"], "nothing": ["x"]])
        #expect(answer.kind == .submit && answer.value("name") == "Ann" && answer.value("colour") == "red")
        #expect(answer["nothing"] == nil && answer.value("FORM_TYPE") == "urn:example:person")
    }

    @Test("an unknown kind of field is a line, one that says nothing is read, a kind of form that is none is no form")
    func unknown() throws {
        let form = try #require(
            DataForm(
                xml(
                    """
                    <x xmlns='jabber:x:data' type='form'><field var='a' type='colour-picker'><value>x</value></field>
                    <field var='b'/><field/><other xmlns='urn:x'/></x>
                    """)))
        #expect(form.fields.map(\.kind) == [.textSingle, nil, nil])
        #expect(try DataForm(xml("<x xmlns='jabber:x:data' type='forms'/>")) == nil)
        #expect(try DataForm(xml("<x xmlns='jabber:x:data'/>")) == nil)
        #expect(try DataForm(xml("<x xmlns='urn:x' type='form'/>")) == nil)
    }

    @Test("a form over the bounds is none, whichever of them")
    func bounds() throws {
        let field = "<field var='a'><value>v</value></field>"
        func form(_ inner: String) throws -> DataForm? {
            try DataForm(xml("<x xmlns='jabber:x:data' type='form'>\(inner)</x>"))
        }
        #expect(try form(String(repeating: field, count: DataForm.fieldLimit)) != nil)
        #expect(try form(String(repeating: field, count: DataForm.fieldLimit + 1)) == nil)
        let many = String(repeating: "<value/>", count: DataForm.valueLimit + 1)
        #expect(try form("<field var='a'>\(many)</field>") == nil)
        #expect(try form(String(repeating: "<item/>", count: DataForm.rowLimit + 1)) == nil)
        #expect(try form(String(repeating: "<instructions/>", count: 300)) == nil)
        #expect(try form("<reported>\(field)</reported><reported>\(field)</reported>") == nil)
    }
}
