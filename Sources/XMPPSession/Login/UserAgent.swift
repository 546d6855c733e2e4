/// Who logs in, for SASL2 (XEP-0388 section 2.3): the server tells the installations of an account apart by the id.
package struct UserAgent: Sendable, Hashable {
    /// A UUID of version 4, one for each account and instance: two that share it throw each other out (XEP-0386).
    package var id: String
    package var software: String
    package var device: String?

    package init(id: String, software: String = "Doorward", device: String? = nil) {
        self.id = id
        self.software = software
        self.device = device
    }
}
