import DoorwardConsole
import Glibc
import XMPPCore
import XMPPCrypto

/// `doorward-bench micro`: single pieces of work, beside the least that they cost in C.
struct MicroBench {
    /// One piece of work.
    struct Work: Sendable {
        /// As bench-micro knows it.
        var name: String
        var title: String
        /// How often, in one round.
        var count: Int
        /// Nanoseconds that one may take.
        var bound: Double?
        /// What stands beside it.
        var base: String
        /// Does it so often.
        var run: @Sendable (Int) -> Void
    }

    /// Nanoseconds of processor time, of each round.
    struct Figures: Sendable {
        var ours: [Double] = []
        var plain: [Double] = []
    }

    /// The same as in bench-peers/micro/main.c.
    private static let stanza = Array(
        ("<presence from='contact123@b.test' to='bot17@a.test' type='subscribe' id='s-4711'>"
            + "<status>Hello, it is me &amp; my dog</status><nick xmlns='http://jabber.org/protocol/nick'>Ann</nick></presence>")
            .utf8)
    private static let header = Array(
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>".utf8)

    static let works: [Work] =
        AddressSpelling.all.map { spelling in
            Work(
                name: spelling.name, title: spelling.title, count: 200_000, bound: 1000,
                base: "its parts checked and copied", run: spelling.read)
        } + [
            Work(
                name: "stanza", title: "a stanza read", count: 50_000, bound: nil, base: "expat, events only",
                run: readStanzas),
            Work(
                name: "sha1", title: "SCRAM-SHA-1 keys, 4096", count: 100, bound: nil, base: "OpenSSL's PBKDF2",
                run: { derive(.sha1, $0) }),
            Work(
                name: "sha256", title: "SCRAM-SHA-256 keys, 4096", count: 100, bound: nil, base: "OpenSSL's PBKDF2",
                run: { derive(.sha256, $0) }),
        ]

    private static func readStanzas(_ count: Int) {
        let parser = XMLStreamParser(limits: .normal)
        _ = parser.feed(header)
        for _ in 0..<count {
            guard case .element(let element)? = parser.feed(stanza).first, Stanza(element) != nil else {
                return complain("the stanza was refused")
            }
        }
    }

    private static func derive(_ algorithm: HashAlgorithm, _ count: Int) {
        for _ in 0..<count {
            let salted = pbkdf2(
                algorithm, password: Secret("password"), salt: Array("0123456789abcdef".utf8), iterations: 4096)
            _ = hmac(algorithm, key: salted, message: Array("Client Key".utf8))
            _ = hmac(algorithm, key: salted, message: Array("Server Key".utf8))
        }
    }

    // MARK: Measuring

    /// Measures, prints, and returns the status to exit with.
    static func runAndPrint(_ options: MicroOptions) -> Int32 {
        do throws(BenchError) {
            let tools = try BenchTools.folder(options.tools, ["bench-micro"])
            let plain = try Helper("bench-micro", ["\(tools)/bench-micro"])
            defer { plain.end() }
            var figures = [Figures](repeating: Figures(), count: works.count)
            for _ in 1...options.rounds {
                for (index, work) in works.enumerated() {
                    let start = cpu()
                    work.run(work.count)
                    figures[index].ours.append((cpu() - start) / Double(work.count))
                    plain.say("\(work.name) \(work.count)")
                    guard let time = try plain.wait(for: "NS", seconds: 120).first.flatMap({ Double($0) }) else {
                        throw BenchError("bench-micro gave no figure for \(work.name)")
                    }
                    figures[index].plain.append(time)
                }
            }
            print(options.printsJSON ? json(figures, options).indented : words(figures))
            let isWithin = zip(works, figures).allSatisfy { work, figures in
                work.bound.map { median(figures.ours) <= $0 } ?? true
            }
            return isWithin ? 0 : 1
        } catch {
            complain(error.description)
            return 1
        }
    }

    private static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func median(_ values: [Double]) -> Double { ConnectReport.median(values) ?? 0 }

    private static func words(_ figures: [Figures]) -> String {
        var lines = ["work".padded(28) + "ours".padded(14) + "in C".padded(14) + "ratio"]
        for (work, figures) in zip(works, figures) {
            let (ours, plain) = (median(figures.ours), median(figures.plain))
            var line = work.title.padded(28) + time(ours).padded(14) + time(plain).padded(14)
            line += "\(ConnectReport.text(ours / max(plain, 0.1), 2))x".padded(8) + work.base
            if let bound = work.bound { line += "; bound \(time(bound))\(ours <= bound ? "" : ": OVER IT")" }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    private static func time(_ nanoseconds: Double) -> String {
        nanoseconds < 10_000
            ? "\(ConnectReport.text(nanoseconds, 0)) ns" : "\(ConnectReport.text(nanoseconds / 1e6, 3)) ms"
    }

    private static func json(_ figures: [Figures], _ options: MicroOptions) -> JSONValue {
        let number = { (value: Double) in JSONValue.number((value * 10).rounded() / 10) }
        return .object([
            "benchmark": .string("micro"), "rounds": .integer(options.rounds),
            "works": .array(
                zip(works, figures).map { work, figures in
                    .object([
                        "name": .string(work.name), "count": .integer(work.count),
                        "ours_ns": .array(figures.ours.map(number)), "plain_ns": .array(figures.plain.map(number)),
                        "ratio": number(median(figures.ours) / max(median(figures.plain), 0.1)),
                        "bound_ns": work.bound.map(number) ?? .null,
                    ])
                }),
        ])
    }
}
