extension Actor {
    /// Calls a method of the actor from its own loop, with what it is to get.
    ///
    /// As `assumeIsolated` (SE-0392), but without the two boxes on the heap that this makes for what its closure captures:
    /// every stanza of an account goes this way.
    ///
    /// - Parameters:
    ///   - value: What the method gets.
    ///   - method: Captures nothing.
    @inlinable
    package nonisolated func hand<Value>(_ value: Value, to method: (isolated Self, Value) -> Void) {
        preconditionIsolated()
        // The isolation of a parameter is not part of how a function is called; the standard library relies on that too.
        withoutActuallyEscaping(method) { method in
            unsafeBitCast(method, to: ((Self, Value) -> Void).self)(self, value)
        }
    }
}
