package import XMPPCore

/// What modules of bot authors keep, and what is kept of them.
extension Store {
    package func moduleValue(_ key: String, of module: String, _ account: BareJID) throws(StoreError) -> [UInt8]? {
        try ModuleValueTable(connection: openConnection()).value(account, module, key)
    }

    /// Keeps a value.
    ///
    /// - Parameters:
    ///   - value: It.
    ///   - key: Under what.
    ///   - module: Whose it is.
    ///   - account: In which account.
    ///   - values: How many values the area may have.
    ///   - bytes: How many bytes, keys and values together.
    /// - Throws: What the store throws.
    /// - Returns: False where there is no room for it.
    package func setModuleValue(
        _ value: [UInt8], for key: String, of module: String, _ account: BareJID, values: Int, bytes: Int
    ) throws(StoreError) -> Bool {
        try ModuleValueTable(connection: openConnection())
            .set(value, account, module, key, within: ModuleValueTable.Room(values: values, bytes: bytes))
    }

    package func removeModuleValue(_ key: String, of module: String, _ account: BareJID) throws(StoreError) {
        try ModuleValueTable(connection: openConnection()).remove(account, module, key)
    }

    package func moduleKeys(of module: String, _ account: BareJID) throws(StoreError) -> [String] {
        try ModuleValueTable(connection: openConnection()).keys(account, module)
    }

    /// Counts the events that modules had in their hands when the process before ended.
    ///
    /// - Returns: Them; once.
    @discardableResult
    package func takeCrashes(at: Timestamp) throws(StoreError) -> [EventNote] {
        let notes = leftNotes
        try ModuleCrashTable(connection: openConnection()).add(notes, at: at)
        leftNotes = []
        return notes
    }

    /// A module is about to be run.
    ///
    /// - Returns: Since when it is not to be, since it ended the process; nil where it is.
    package func beginModule(
        _ module: String, of account: BareJID, settings: String, isGivenAnotherChance: Bool
    ) throws(StoreError) -> Timestamp? {
        try ModuleCrashTable(connection: openConnection())
            .begin(account, module, settings: settings, isGivenAnotherChance: isGivenAnotherChance)
    }

    /// How often a module ended the process with what it is told now.
    package func moduleCrashes(_ module: String, of account: BareJID) throws(StoreError) -> Int {
        try ModuleCrashTable(connection: openConnection()).count(account, module)
    }
}
