import DoorwardConfig
import Glibc
public import XMPPClient
import XMPPCore

/// The program `doorward` as a call, so that an executable is one line.
public enum DoorwardMain {
    /// Runs the program with the process's command line, and ends the process with its exit status.
    ///
    /// - Parameter modules: The modules that its bots may name in their `bot.yaml`, such as `[Greeter.self]`; of two with the
    ///   same name the first one counts.
    public static func run(modules: [any XMPPModule.Type] = []) -> Never {
        run(Array(CommandLine.arguments.dropFirst()), modules: modules)
    }

    /// The same with a command line of the caller's.
    package static func run(_ words: [String], modules: [any XMPPModule.Type]) -> Never {
        // A reader of our output that goes away (`doorward run 2>&1 | head -1`) must not end the service with it: a write
        // to it then fails, and is judged where it is made. Programs that we start get the usual effect back.
        signal(SIGPIPE, SIG_IGN)
        let program = Program(output: .standard(), modules: modules, now: wallClock)
        let status = program.run(words)
        // Here and not where the service ends, since it is for good: nothing of this process asks for a password again.
        SecretReader.endCommands()
        exit(status.rawValue)
    }
}

/// The wall clock in whole milliseconds.
@Sendable
func wallClock() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
}
