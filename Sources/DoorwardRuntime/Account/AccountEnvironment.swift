package import DoorwardConfig
package import DoorwardStore
package import XMPPTransport

/// What all accounts of a service share.
package struct AccountEnvironment: Sendable {
    package var store: Store
    package var connector: any Connector
    package var trust: TLSContextCache
    /// TLS sessions of all accounts, to be taken up again under the rules that they were verified by.
    package var sessions = TLSSessionCache()
    package var board: StatusBoard
    package var events: EventSink
    /// Reads a password; blocking, so it is called off the loops.
    package var readSecret: @Sendable (SecretSource) throws -> [UInt8]
    /// The threads of bot authors' modules; without them none is run.
    package var modules: ModuleExecutor?
    /// Whether what nobody waits for is recorded with other things, or after a while.
    package var recordsLater = true
    /// Contacts' pictures, of the whole fleet.
    package var avatars = AvatarFleet()
    /// How long a command waits for another server to refuse that it is asked.
    package var refusalWait = Duration.seconds(3)
    /// Of this program, for contacts who may ask (XEP-0092).
    package var version = ""

    package init(
        store: Store, connector: any Connector, trust: TLSContextCache, board: StatusBoard,
        events: @escaping EventSink,
        readSecret: @escaping @Sendable (SecretSource) throws -> [UInt8] = { try SecretReader.read($0) }
    ) {
        self.store = store
        self.connector = connector
        self.trust = trust
        self.board = board
        self.events = events
        self.readSecret = readSecret
    }
}
