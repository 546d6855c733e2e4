import Glibc

/// Takes the figures of the processes at the begin and at the end of what is measured.
struct Meter {
    let start = ContinuousClock.now
    let service: ProcessFigures
    private let server: ProcessFigures
    private let serverPID: Int32
    private let guests: ProcessFigures

    /// Takes those at the begin; without a service's number it starts now, and all that it uses counts.
    init(service: Int32?, server: Int32) throws(BenchError) {
        guests = try ProcessFigures(of: getpid())
        serverPID = server
        self.server = try ProcessFigures(of: server)
        self.service = if let service { try ProcessFigures(of: service) } else { ProcessFigures.none }
    }

    func stop(service pid: Int32, into report: inout DeskReport) throws(BenchError) {
        let now = try ProcessFigures(of: pid)
        report.cpu = now.cpu - service.cpu
        report.residentAtEnd = now.residentKiB
        report.residentPeak = now.peakKiB
        report.serverCPU = try ProcessFigures(of: serverPID).cpu - server.cpu
        report.guestsCPU = try ProcessFigures(of: getpid()).cpu - guests.cpu
    }
}
