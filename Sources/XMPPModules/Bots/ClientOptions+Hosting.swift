public import XMPPClient

extension Client.Options {
    /// Lets the client host a module of a bot author; what it keeps is in memory and ends with the client.
    ///
    /// ```swift
    /// options.modules = { [RosterModule(account: account) { _ in }] }
    /// options.host(Echo.self, settings: NoSettings())
    /// ```
    ///
    /// It is announced, and its commands are found, where a ``DiscoModule`` and a ``CapsModule`` are among
    /// `modules`. Its errors and its log are dropped: the service `doorward` shows them.
    public mutating func host<Module: XMPPModule>(_ type: Module.Type, settings: Module.Settings) {
        hosted.append(PreparedModule(type, settings: settings))
        moduleCompanion = .botServices
    }
}
