import DoorwardConsole
import Foundation
import Testing

/// What becomes of output that cannot be written.
@Suite("Output")
struct OutputTests {
    @Test("a full device is exit 1 with words on standard error")
    func fullDevice() throws {
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        let errors = Pipe()
        let output = Output.standard(output: device, error: errors.fileHandleForWriting.fileDescriptor)
        #expect(Program(output: output) { Samples.now }.run(["version"]) == .refused)
        close(device)
        try errors.fileHandleForWriting.close()
        let words = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(words == "doorward: cannot write to standard output: No space left on device\n")
    }

    @Test("a reader that has gone is no failure, and says nothing")
    func goneReader() throws {
        // As the program does at its start; the write below would end the tests otherwise.
        signal(SIGPIPE, SIG_IGN)
        let (data, errors) = (Pipe(), Pipe())
        try data.fileHandleForReading.close()
        let output = Output.standard(
            output: data.fileHandleForWriting.fileDescriptor, error: errors.fileHandleForWriting.fileDescriptor)
        #expect(Program(output: output) { Samples.now }.run(["--help"]) == .done)
        try errors.fileHandleForWriting.close()
        #expect(try errors.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    @Test(
        "the width is COLUMNS, else the terminal's; nothing is cut where there is neither",
        arguments: [
            (nil, nil, false, Output.unbounded), ("120", nil, false, 120), ("120", 80, true, 120), (nil, 80, true, 80),
            (nil, nil, true, 100), (nil, 0, true, 100), (nil, 10, true, 40),
            ("x", 80, true, 80), ("0", nil, false, Output.unbounded),
            ("-5", 80, true, 80), ("99999999999999999999", 80, true, 80),
        ] as [(String?, Int?, Bool, Int)])
    func width(columns: String?, known: Int?, isTerminal: Bool, width: Int) {
        #expect(Output.width(columns: columns, ofTerminal: known, isTerminal: isTerminal) == width)
    }
}
