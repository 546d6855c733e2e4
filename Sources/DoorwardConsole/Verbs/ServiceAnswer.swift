import XMPPCore

/// An answer of the service, with what its words depend on.
struct ServiceAnswer {
    let status: ProgramStatus
    let data: JSONValue
    let invocation: Invocation
    let output: Output
    let now: Timestamp

    /// The account that the command line names first, where it does.
    var account: String { invocation.arguments.first ?? "" }

    var desk: DeskRenderer { DeskRenderer(now: now, width: output.width) }
    var service: ServiceRenderer { ServiceRenderer(now: now, width: output.width) }
    var contacts: ContactRenderer { ContactRenderer(now: now, width: output.width) }
}
