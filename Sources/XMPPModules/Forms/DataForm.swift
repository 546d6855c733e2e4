import XMPPCore

/// A form (XEP-0004): to be filled in, filled in, or with what was found.
public struct DataForm: Hashable, Sendable {
    /// What it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// To be filled in.
        case form
        /// Filled in.
        case submit
        /// Not filled in.
        case cancel
        /// What was found.
        case result
    }

    /// Most fields of a form, also of a row of results.
    public static let fieldLimit = 256
    /// Most values and options in all of a form.
    public static let valueLimit = 4_096
    /// Most rows of results.
    public static let rowLimit = 1_000

    /// What it is.
    public var kind: Kind
    /// What it is called.
    public var title: String?
    /// What to do with it, a paragraph each.
    public var instructions: [String]
    /// Its fields in order.
    public var fields: [FormField]
    /// The columns of a table of results.
    public var columns: [FormField]
    /// The rows of that table.
    public var rows: [[FormField]]

    /// A form.
    public init(
        _ kind: Kind, title: String? = nil, instructions: [String] = [], fields: [FormField] = [],
        columns: [FormField] = [], rows: [[FormField]] = []
    ) {
        self.kind = kind
        self.title = title
        self.instructions = instructions
        self.fields = fields
        self.columns = columns
        self.rows = rows
    }

    /// The name of its own kind of forms (XEP-0068): the value of a hidden `FORM_TYPE`.
    ///
    /// A form to be filled in, or a result, must have it hidden; a submitted one need not say what the field is.
    public var formType: String? {
        guard let field = self["FORM_TYPE"] else { return nil }
        switch (field.kind, kind) {
        case (.hidden?, _), (nil, .submit): return field.value
        case (_, .form), (_, .result), (_, .cancel), (_?, .submit): return nil
        }
    }

    /// The first field of that name.
    public subscript(_ name: String) -> FormField? { fields.first { sameBytes($0.name, name) } }

    /// The first value of that field.
    public func value(_ name: String) -> String? { self[name]?.value }
}
