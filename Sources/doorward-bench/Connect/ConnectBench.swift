import DoorwardConsole
import FoundationEssentials
import Glibc

/// `doorward-bench connect`: what connections cost, beside what the machine allows and beside other libraries.
struct ConnectBench {
    let options: ConnectOptions
    let cleanup: Cleanup

    /// Measures, prints, and returns the status to exit with.
    static func runAndPrint(_ options: ConnectOptions) -> Int32 {
        cleaningUp { cleanup throws(BenchError) in
            let report = try ConnectBench(options: options, cleanup: cleanup).run()
            print(report.words)
            if let path = options.json {
                do {
                    try (report.json.indented + "\n").write(toFile: path, atomically: true, encoding: .utf8)
                } catch {
                    throw BenchError("\(path) cannot be written: \(error)")
                }
            }
            return report.wrong == 0
        }
    }

    private func run() throws(BenchError) -> ConnectReport {
        raiseDescriptorLimit()
        let tools = try BenchTools.folder(options.tools)
        let ours = try Contender.ours()
        var contenders = [.floor(tools), ours].filter { options.wants($0.name) }
        var report = ConnectReport(options: options, before: .now())
        if let folder = options.peers {
            let peers = BenchTools.peers(in: folder, only: options.only)
            contenders += peers.found
            report.absent = peers.absent
        }
        let own = try BenchTools.ownFolder()
        let product = options.service ?? "\(own)/doorward"
        let wantsProduct = options.measuresProduct && options.requests > 0 && options.wants("product")
        let hasProduct = wantsProduct && BenchTools.isProgram(product)
        if wantsProduct, !hasProduct { report.absent.append(("product", "there is no \(product)")) }
        let files = try DeskFiles()
        cleanup.add { files.remove() }
        let server = try LoadServer(tools: tools, folder: files.folder, cleanup: cleanup)
        try server.prepare(max(options.accounts.max() ?? 0, options.storm))

        for round in 1...options.rounds {
            for accounts in options.accounts {
                for contender in contenders where !report.isGone(contender.name) {
                    complain("round \(round) of \(options.rounds): \(contender.name), \(accounts) accounts")
                    let visit = Visit(
                        contender: contender, server: server, accounts: accounts, options: options, cleanup: cleanup)
                    do throws(BenchError) {
                        report.add(try visit.run(), of: contender.name, accounts)
                    } catch  where contender.kind == .peer {
                        report.absent.append((contender.name, error.description))
                    }
                }
                if hasProduct {
                    complain("round \(round) of \(options.rounds): the product, \(accounts) accounts")
                    let visit = ProductVisit(
                        program: product, server: server, accounts: accounts, options: options, cleanup: cleanup)
                    report.add(try visit.run(), of: "product", accounts)
                }
            }
            if options.storm > 0, options.wants(ours.name) { report.storm.append(try storm(ours, server)) }
        }
        report.after = .now()
        return report
    }

    /// The longest turn of the loop while many accounts log in at once.
    private func storm(_ ours: Contender, _ server: LoadServer) throws(BenchError) -> VisitFigures {
        complain("\(self.options.storm) logins at once")
        var options = options
        (options.requests, options.closedRequests, options.idleSeconds) = (0, 0, 0)
        let visit = Visit(
            contender: ours, server: server, accounts: options.storm, options: options, cleanup: cleanup,
            ramp: options.storm)
        return try visit.run()
    }
}
