public import XMPPCore

/// What the one who runs a command sends (XEP-0050).
public struct CommandRequest: Hashable, Sendable {
    /// Which command.
    public var node: String
    /// Which of its runs; nil begins one.
    public var session: String?
    /// What is wanted; nil where the word is none of XEP-0050.
    public var action: CommandAction?
    /// What was filled in; nil where nothing came with it.
    public var form: DataForm?
    /// Whether what came with it is no form, or one over the bounds.
    public var isFormFaulty = false

    /// A request.
    public init(node: String, session: String? = nil, action: CommandAction = .execute, form: DataForm? = nil) {
        self.node = node
        self.session = session
        self.action = action
        self.form = form
    }

    /// Reads a `<command/>`; nil where it is none, or has no node.
    public init?(_ element: Element) {
        guard element.matches("command", Namespace.commands), let node = element[attribute: "node"] else { return nil }
        self.init(node: node, session: element[attribute: "sessionid"])
        if let word = element[attribute: "action"] {
            action = CommandAction.allCases.first { sameBytes($0.rawValue, word) }
        }
        if let x = element.first("x", Namespace.dataForms) {
            form = DataForm(x)
            isFormFaulty = form == nil
        }
    }

    /// The `<command/>`.
    public var element: Element {
        var element = Element("command", namespace: Namespace.commands, attributes: [.init("node", node)])
        element[attribute: "sessionid"] = session
        element[attribute: "action"] = action?.rawValue
        if let form { element.children.append(.element(form.element)) }
        return element
    }
}

/// What the one who has a command answers (XEP-0050).
public struct CommandResponse: Hashable, Sendable {
    /// Most notes that are read.
    public static let noteLimit = 64

    /// Which command.
    public var node: String
    /// Which of its runs.
    public var session: String
    /// Where it stands.
    public var status: CommandStatus
    /// What its user may do; nil where there is only this stage.
    public var actions: CommandActions?
    /// To be filled in, or what was found.
    public var form: DataForm?
    /// What it says.
    public var notes: [CommandNote]

    /// An answer.
    public init(
        node: String, session: String, status: CommandStatus, actions: CommandActions? = nil, form: DataForm? = nil,
        notes: [CommandNote] = []
    ) {
        (self.node, self.session, self.status) = (node, session, status)
        (self.actions, self.form, self.notes) = (actions, form, notes)
    }

    /// Reads a `<command/>`; nil where it is none, or lacks what an answer must have.
    public init?(_ element: Element) {
        guard element.matches("command", Namespace.commands), let node = element[attribute: "node"],
            let session = element[attribute: "sessionid"], let word = element[attribute: "status"],
            let status = CommandStatus.allCases.first(where: { sameBytes($0.rawValue, word) })
        else { return nil }
        self.init(node: node, session: session, status: status)
        if let element = element.first("actions", Namespace.commands) {
            let names = element.elements.filter { sameBytes($0.namespace, Namespace.commands) }
            let allowed = CommandAction.allCases.filter { action in
                names.contains { sameBytes($0.name, action.rawValue) }
            }
            let execute = element[attribute: "execute"].flatMap { word in
                CommandAction.allCases.first { sameBytes($0.rawValue, word) }
            }
            // Without the attribute it means the next stage (section 3.3).
            actions = CommandActions(Set(allowed), execute: execute ?? .next)
        }
        if let x = element.first("x", Namespace.dataForms) {
            guard let form = DataForm(x) else { return nil }
            self.form = form
        }
        for child in element.elements where child.matches("note", Namespace.commands) && notes.count < Self.noteLimit {
            let type = child[attribute: "type"]
            // What is not known is for information (section 3.3).
            notes.append(
                CommandNote(child.text, kind: CommandNote.Kind.allCases.first { sameBytes($0.rawValue, type) } ?? .info)
            )
        }
    }

    /// The `<command/>`.
    public var element: Element {
        var element = Element(
            "command", namespace: Namespace.commands,
            attributes: [.init("node", node), .init("sessionid", session), .init("status", status.rawValue)])
        if let actions, status == .executing {
            let children = [CommandAction.previous, .next, .complete].filter(actions.allowed.contains).map {
                Element.Node.element(Element($0.rawValue, namespace: Namespace.commands))
            }
            element.children.append(
                .element(
                    Element(
                        "actions", namespace: Namespace.commands,
                        attributes: [.init("execute", actions.execute.rawValue)], children: children)))
        }
        if let form { element.children.append(.element(form.element)) }
        for note in notes {
            element.children.append(
                .element(
                    Element(
                        "note", namespace: Namespace.commands, attributes: [.init("type", note.kind.rawValue)],
                        children: [.text(note.text)])))
        }
        return element
    }
}
