/// What waits for a module, oldest first, within ``ModuleContext/inboxLimit``.
struct ModuleInbox {
    private var events: [ModuleEvent] = []
    private var head = 0

    var count: Int { events.count - head }

    /// Takes one more.
    ///
    /// - Returns: The oldest, where there was no room.
    mutating func put(_ event: ModuleEvent) -> ModuleEvent? {
        let oldest = count >= ModuleContext.inboxLimit ? take() : nil
        events.append(event)
        return oldest
    }

    mutating func take() -> ModuleEvent? {
        guard head < events.count else { return nil }
        let event = events[head]
        head += 1
        if head == events.count || head >= ModuleContext.inboxLimit {
            events.removeFirst(head)
            head = 0
        }
        return event
    }

    mutating func takeAll() -> [ModuleEvent] {
        defer { (events, head) = ([], 0) }
        return Array(events[head...])
    }
}
