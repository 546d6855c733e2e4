/// `doorward demo`: the service on a private server on this machine.
enum DemoCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> CommandStatus {
        throw UsageError("'demo' is not built yet; 'doorward run' runs your own accounts")
    }
}
