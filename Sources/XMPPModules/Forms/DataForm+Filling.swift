import XMPPCore

/// Filling in forms, and what is taken of a filled one.
extension DataForm {
    /// This form as it was filled in: each of its fields that has a name, with the values that count.
    ///
    /// What is left out keeps the value that it was offered with, what the form does not have is ignored (XEP-0004 section
    /// 3.2), and what is hidden is taken as it was offered, whatever came back. Values are as programs want them: `true` or
    /// `false`, addresses prepared, lines without their ends.
    ///
    /// - Parameter submitted: What came back.
    /// - Throws: All that is wrong with it, in the form's order.
    /// - Returns: A form to submit, with all of them.
    public func filled(in submitted: DataForm) throws(FormFaults) -> DataForm {
        var filled = DataForm(.submit)
        var faults: [FormFault] = []
        for field in fields {
            guard let name = field.name, field.kind != .fixed else { continue }
            let answers = submitted.fields.filter { sameBytes($0.name, name) }
            var taken = FormField(name, field.kind, values: field.values)
            if let answer = answers.first, field.kind != .hidden {
                do throws(FormFault.Code) {
                    guard answers.count == 1 else { throw .repeated }
                    taken.values = try field.taken(answer.values)
                } catch {
                    faults.append(FormFault(field: name, label: field.label ?? name, code: error))
                }
            }
            let isFaulty = faults.contains { sameBytes($0.field, name) }
            if field.isRequired, !isFaulty, taken.values.allSatisfy(\.isEmpty) {
                faults.append(FormFault(field: name, label: field.label ?? name, code: .missing))
            }
            filled.fields.append(taken)
        }
        guard faults.isEmpty else { throw FormFaults(faults: faults) }
        return filled
    }

    /// What to send back to whoever sent this form: its fields with these values, the others as they were offered.
    ///
    /// - Parameter values: By the field's name; names that the form does not have are left out.
    /// - Returns: A form to submit.
    public func submission(_ values: [String: [String]]) -> DataForm {
        var answer = DataForm(.submit)
        for field in fields {
            guard let name = field.name, field.kind != .fixed else { continue }
            let own = values.first { sameBytes($0.key, name) }?.value
            answer.fields.append(FormField(name, field.kind, values: own ?? field.values))
        }
        return answer
    }
}

/// All that is wrong with a form.
public struct FormFaults: Error, Hashable, Sendable {
    /// In the form's order; at least one.
    public var faults: [FormFault]
}

extension FormFaults: CustomStringConvertible {
    /// For people; without what was filled in.
    public var description: String { faults.map(\.description).joined(separator: "; ") }
}

extension FormField {
    /// The values that count of those that came back.
    fileprivate func taken(_ values: [String]) throws(FormFault.Code) -> [String] {
        let kind = kind ?? .textSingle
        if !kind.takesSeveral, values.count > 1 { throw .tooMany }
        switch kind {
        case .boolean:
            guard let word = values.first else { return [] }
            guard let flag = Self.flag(word) else { throw .notAFlag }
            return [flag ? "true" : "false"]
        case .jidSingle, .jidMulti:
            var addresses: [String] = []
            for value in values where !value.isEmpty {
                guard let jid = try? JID(value) else { throw .notAnAddress }
                addresses.append(jid.description)
            }
            return addresses
        case .listSingle, .listMulti:
            let chosen = values.filter { !$0.isEmpty || options.contains(where: \.value.isEmpty) }
            for value in chosen where !options.contains(where: { sameBytes($0.value, value) }) { throw .notAnOption }
            return chosen
        case .textMulti:
            // Some programs send the lines as one value.
            return values.flatMap { Self.lines(of: $0) }
        case .textSingle, .textPrivate, .hidden, .fixed:
            return values
        }
    }

    private static func lines(of text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map(String.init)
    }
}
