import Dispatch
import Testing
import XMPPTransport

@testable import DoorwardConsole

@Suite("The log's writer") struct LogWriterTests {
    @Test("writes every line in order, and flush waits for them")
    func order() {
        let lines = Locked<[String]>([])
        let writer = LogWriter { text in lines.withLock { $0 += text.split(separator: "\n").map(String.init) } }
        for number in 0..<1_000 { writer.write("line \(number)") }
        writer.flush()
        #expect(lines.withLock { $0 } == (0..<1_000).map { "line \($0)" })
    }

    @Test("does not hold its caller while nobody reads, and says how many lines it dropped")
    func blocked() {
        let lines = Locked<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let isOpen = Locked(false)
        let writer = LogWriter { text in
            if !isOpen.withLock({ $0 }) { gate.wait() }
            lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
        }
        for number in 0..<(LogWriter.limit + 500) { writer.write("\(number)") }
        isOpen.withLock { $0 = true }
        gate.signal()
        writer.flush()
        writer.write("last")
        writer.flush()
        let written = lines.withLock { $0 }
        #expect(written.count == LogWriter.limit + 2)
        #expect(written.suffix(2) == ["event=log_lines_dropped count=500", "last"])
    }
}
