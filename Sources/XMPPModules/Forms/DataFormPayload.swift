public import XMPPCore

/// Forms as elements.
extension DataForm {
    /// Reads an `<x/>`.
    ///
    /// - Returns: Nil where it is no form, or one over the bounds.
    public init?(_ element: Element) {
        guard element.matches("x", Namespace.dataForms), let type = element[attribute: "type"],
            let kind = Kind.allCases.first(where: { sameBytes($0.rawValue, type) })
        else { return nil }
        self.init(kind)
        var room = Self.valueLimit
        for case .element(let child) in element.children where sameBytes(child.namespace, Namespace.dataForms) {
            switch true {
            case sameBytes(child.name, "title"): title = title ?? child.text
            case sameBytes(child.name, "instructions"):
                guard instructions.count < Self.fieldLimit else { return nil }
                instructions.append(child.text)
            case sameBytes(child.name, "field"):
                guard fields.count < Self.fieldLimit, let field = FormField(child, &room) else { return nil }
                fields.append(field)
            case sameBytes(child.name, "reported"):
                guard columns.isEmpty, let read = Self.fields(in: child, &room) else { return nil }
                columns = read
            case sameBytes(child.name, "item"):
                guard rows.count < Self.rowLimit, let row = Self.fields(in: child, &room) else { return nil }
                rows.append(row)
            case _: break
            }
        }
    }

    private static func fields(in element: Element, _ room: inout Int) -> [FormField]? {
        var fields: [FormField] = []
        for case .element(let child) in element.children where child.matches("field", Namespace.dataForms) {
            guard fields.count < fieldLimit, let field = FormField(child, &room) else { return nil }
            fields.append(field)
        }
        return fields
    }

    /// The `<x/>`.
    public var element: Element {
        var children: [Element] = []
        if let title { children.append(.form("title", title)) }
        children += instructions.map { .form("instructions", $0) }
        if !columns.isEmpty { children.append(.form("reported", columns.map(\.element))) }
        children += fields.map(\.element)
        children += rows.map { .form("item", $0.map(\.element)) }
        var element = Element.form("x", children)
        element[attribute: "type"] = kind.rawValue
        return element
    }
}

extension FormField {
    /// Reads a `<field/>`; nil where it has more than there is room for, which it takes from.
    fileprivate init?(_ element: Element, _ room: inout Int) {
        let type = element[attribute: "type"]
        self.init(
            element[attribute: "var"],
            // What nobody knows is a line of text (XEP-0004 section 3.3).
            type.map { type in Kind.allCases.first { sameBytes($0.rawValue, type) } ?? .textSingle },
            label: element[attribute: "label"])
        for case .element(let child) in element.children where sameBytes(child.namespace, Namespace.dataForms) {
            if sameBytes(child.name, "value") || sameBytes(child.name, "option") {
                guard room > 0 else { return nil }
                room -= 1
            }
            if sameBytes(child.name, "value") {
                values.append(child.text)
            } else if sameBytes(child.name, "option") {
                guard let value = child.first("value", Namespace.dataForms) else { continue }
                options.append(Option(value.text, label: child[attribute: "label"]))
            } else if sameBytes(child.name, "required") {
                isRequired = true
            } else if sameBytes(child.name, "desc") {
                explanation = explanation ?? child.text
            }
        }
    }

    /// The `<field/>`.
    var element: Element {
        var children: [Element] = []
        if let explanation { children.append(.form("desc", explanation)) }
        if isRequired { children.append(.form("required", [])) }
        children += values.map { .form("value", $0) }
        children += options.map { option in
            var element = Element.form("option", [.form("value", option.value)])
            element[attribute: "label"] = option.label
            return element
        }
        var element = Element.form("field", children)
        element[attribute: "var"] = name
        element[attribute: "type"] = kind?.rawValue
        element[attribute: "label"] = label
        return element
    }
}

extension Element {
    fileprivate static func form(_ name: String, _ text: String) -> Element {
        Element(name, namespace: Namespace.dataForms, children: [.text(text)])
    }

    fileprivate static func form(_ name: String, _ children: [Element]) -> Element {
        Element(name, namespace: Namespace.dataForms, children: children.map(Node.element))
    }
}
