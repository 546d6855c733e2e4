import Foundation
import Testing

/// The servers that the tests run against.
enum ServerKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case prosody, ejabberd

    var testDescription: String { rawValue }
}

/// A real XMPP server of our own, on loopback.
protocol RealServer: Sendable {
    var kind: ServerKind { get }
    /// Where clients connect, with STARTTLS.
    var port: UInt16 { get }
    /// Where the tests' own guests connect, without TLS.
    var plainPort: UInt16 { get }
    /// Where clients connect with TLS from the start (XEP-0368).
    var directPort: UInt16 { get }
    /// The authority that signed the hosts' certificates.
    var caFile: String { get }
    /// Where its files are, the authority's key among them.
    var folder: String { get }
    /// What the server wrote down so far.
    var log: String { get }
    /// Creates an account; works while the server runs.
    func addUser(_ user: String, at host: String, password: String) async throws
    func start() async throws
    func stop() async
}

/// The hosts of every server: each in-process neighbour of the others.
enum Hosts {
    static let bots = "doorward.test"
    static let corp = "corp.test"
    static let friends = "friends.test"
    static let spam = "spam.test"
    static let example = "example.test"
    /// Its certificate is for another name.
    static let misnamed = "misnamed.test"
    /// Stream management is on.
    static let streams = "streams.test"
    /// As `streams`, and knows TLS 1.2 only; on Prosody.
    static let old = "tls12.test"
    /// As `streams`, with SCRAM-SHA-256 only.
    static let sha256 = "sha256.test"
    /// As `streams`, with SCRAM-SHA-512 only; on ejabberd.
    static let sha512 = "sha512.test"
    /// As `streams`, with SASL2, Bind2 and FAST; on Prosody.
    static let modern = "sasl2.test"
    /// As `streams`, with EXTERNAL by a client's certificate and nothing else; on Prosody.
    static let certificates = "external.test"
    /// Accounts have nodes and vCards, and the server keeps the pictures of the two the same (XEP-0398).
    static let profiles = "profiles.test"
    /// Accounts have nodes and vCards, and the server leaves them alone.
    static let vCards = "vcards.test"
    /// The server makes invitations, lets people register by them and answers requests that show them; on Prosody.
    static let inviting = "inviting.test"
    /// The server makes invitations, and nothing else of it; on Prosody.
    static let linking = "linking.test"
    static let all = [bots, corp, friends, spam, example, misnamed]
}

/// One running server a kind for the whole process, started when it is first wanted.
actor Servers {
    static let shared = Servers()

    private var running: [ServerKind: Task<any RealServer, any Error>] = [:]

    func server(_ kind: ServerKind) async throws -> any RealServer {
        if let task = running[kind] { return try await task.value }
        let task = Task { try await Servers.make(kind) }
        running[kind] = task
        return try await task.value
    }

    /// One that belongs to the caller, who stops it.
    static func make(_ kind: ServerKind) async throws -> any RealServer {
        let server: any RealServer =
            switch kind {
            case .prosody: try await ProsodyServer()
            case .ejabberd: try await EjabberdServer()
            }
        try await server.start()
        return server
    }

    /// The path of a folder of the templates.
    static func folder(_ name: String) throws -> String {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Servers") else {
            throw HarnessError("the folder \(name) is not in the test bundle")
        }
        return url.path
    }

    /// The text of a template, its `@WORDS@` filled in.
    static func template(_ name: String, _ words: [String: String]) throws -> String {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Servers") else {
            throw HarnessError("the template \(name) is not in the test bundle")
        }
        var text = try String(contentsOf: url, encoding: .utf8)
        for (word, value) in words { text = text.replacingOccurrences(of: "@\(word)@", with: value) }
        return text
    }
}
