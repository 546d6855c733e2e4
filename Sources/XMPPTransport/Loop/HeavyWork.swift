/// What waits for `EventLoop.executeHeavy`, in order.
struct HeavyWork {
    private var waiting: [() -> Void] = []
    private var head = 0

    var isEmpty: Bool { head == waiting.count }

    mutating func append(_ body: @escaping () -> Void) {
        waiting.append(body)
    }

    mutating func takeNext() -> (() -> Void)? {
        guard !isEmpty else { return nil }
        defer {
            head += 1
            // In lumps: one by one each would move all that is behind it.
            if isEmpty || head >= 1024 {
                waiting.removeFirst(head)
                head = 0
            }
        }
        return waiting[head]
    }
}
