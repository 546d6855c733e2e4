/// What waits for a module, oldest first, within ``ModuleContext/inboxLimit``.
struct ModuleInbox {
    private var jobs: [ModuleJob] = []
    private var head = 0

    var count: Int { jobs.count - head }

    /// Takes one more.
    ///
    /// - Returns: The oldest, where there was no room.
    mutating func put(_ job: ModuleJob) -> ModuleJob? {
        let oldest = count >= ModuleContext.inboxLimit ? take() : nil
        jobs.append(job)
        return oldest
    }

    mutating func take() -> ModuleJob? {
        guard head < jobs.count else { return nil }
        let job = jobs[head]
        head += 1
        if head == jobs.count || head >= ModuleContext.inboxLimit {
            jobs.removeFirst(head)
            head = 0
        }
        return job
    }

    mutating func takeAll() -> [ModuleJob] {
        defer { (jobs, head) = ([], 0) }
        return Array(jobs[head...])
    }
}
