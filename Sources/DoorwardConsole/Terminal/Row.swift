import XMPPCore

/// An object of the contract as the renderers read it: absent, null and of another type are all the empty text.
struct Row {
    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    subscript(name: String) -> String { value[name]?.string ?? "" }

    /// An address, and behind it what its local part stands for where that has escapes (XEP-0106), such as
    /// `d\27artagnan@musketeers.lit (d'artagnan)`.
    ///
    /// The address comes first and whole: it is what commands take. Both are a stranger's, and made safe like all of theirs
    /// by whatever draws the result.
    func contact(_ name: String) -> String {
        let address = self[name]
        guard let local = (try? BareJID(address))?.local else { return address }
        let text = JIDEscaping.unescape(local)
        return text.utf8.elementsEqual(local.utf8) ? address : "\(address) (\(text))"
    }

    func has(_ name: String) -> Bool { !self[name].isEmpty }

    func number(_ name: String) -> Int64? { value[name]?.integer }

    func flag(_ name: String) -> Bool { value[name]?.bool ?? false }

    func rows(_ name: String) -> [Row] { (value[name]?.array ?? []).map(Row.init) }

    func strings(_ name: String) -> [String] { (value[name]?.array ?? []).compactMap(\.string) }

    /// How long ago, such as `4 s`; the text itself where it is no time.
    func age(_ name: String, at now: Timestamp) -> String {
        Timestamp(rfc3339: self[name]).map { DoorwardConsole.age(of: $0, at: now) } ?? self[name]
    }
}
