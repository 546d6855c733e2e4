import Glibc
import XMPPCrypto

/// How fast and how busy the machine is, so that two runs can be told apart.
struct Machine: Sendable {
    /// The load average over the last minute.
    var load: Double
    /// CPU time of one fixed piece of work: PBKDF2-SHA-1 with 4096 rounds, the best of five.
    ///
    /// Where it differs by a half between two runs, the processor's speed did, and the other figures with it.
    var calibration: Duration

    static var cores: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    static func now() -> Machine {
        var load = 0.0
        getloadavg(&load, 1)
        let rounds = (0..<5).map { _ in
            let start = threadTime()
            _ = pbkdf2(.sha1, password: Secret("password"), salt: Array("salt".utf8), iterations: 4096)
            return threadTime() - start
        }
        return Machine(load: load, calibration: rounds.min() ?? .zero)
    }

    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
