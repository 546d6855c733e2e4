import Testing
import XMPPCore

@testable import XMPPSession

/// What the server is told of a fault in its stream before the session (RFC 6120 sections 4.9.1.1, 11.3 and 11.6).
@Suite("Faults of a stream before the session")
struct StreamFaultTests {
    /// A stream error and the end of the stream behind it.
    static func told(_ condition: StreamError.Condition) -> String {
        "<error xmlns='http://etherx.jabber.org/streams'>"
            + "<\(condition.name) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></error></stream:stream>"
    }

    /// What is said in front of a stream error that is the last word and holds nothing but its condition.
    static func withoutFault(_ text: String) -> String {
        let conditions: [StreamError.Condition] = [
            .badFormat, .invalidNamespace, .notWellFormed, .policyViolation, .restrictedXML, .unsupportedEncoding,
            .unsupportedVersion,
        ]
        let fault = conditions.map(told).first { text.hasSuffix($0) }
        return String(text.dropLast(fault?.count ?? 0))
    }

    /// Where the stream is when the fault comes.
    enum Place: CaseIterable {
        case plainHeader, plainFeatures, requestedTLS, header, features, proving, headerBehindLogin, binding

        var begins: Bool { [.plainHeader, .header, .headerBehindLogin].contains(self) }

        func login() throws -> Login {
            var login = try Login()
            switch self {
            case .plainHeader, .plainFeatures, .requestedTLS:
                _ = login.negotiation.connected()
                if self != .plainHeader { _ = login.server(serverHeader) }
                if self == .requestedTLS { _ = login.server("<stream:features><starttls \(tls)/></stream:features>") }
            case .header:
                _ = login.negotiation.securedDirectly(ChannelSecurity())
            case .features: login.secure()
            case .proving: login.prove()
            case .headerBehindLogin:
                login.prove()
                _ = login.server("<success \(sasl)>\(prosodySuccess)</success>")
            case .binding:
                login.logIn()
                _ = login.server(
                    "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>")
            }
            return login
        }
    }

    static let anywhere: [([UInt8], StreamError.Condition)] = [
        (Array("<!DOCTYPE x>".utf8), .restrictedXML), (Array("<!-- x -->".utf8), .restrictedXML),
        (Array("<x a='".utf8) + [0xEB, 0x3C, 0x3E], .unsupportedEncoding),
    ]
    static let within: [([UInt8], StreamError.Condition)] = [
        (Array("<?x y?>".utf8), .restrictedXML), (Array("<p:x/>".utf8), .notWellFormed),
        (Array("<x xmlns:xml='urn:x'/>".utf8), .notWellFormed),
        (Array("<x xmlns:xmlns='urn:x'/>".utf8), .notWellFormed), (Array("<x xmlns:p=''/>".utf8), .notWellFormed),
        (Array("<x xmlns:p='urn:p' xmlns:q='urn:p' p:a='' q:a=''/>".utf8), .notWellFormed),
        (Array("<x></y>".utf8), .notWellFormed), (Array("<x>\u{1}</x>".utf8), .notWellFormed),
        (Array("<x>&y;</x>".utf8), .restrictedXML), (Array("x".utf8), .badFormat),
    ]
    static let begins: [([UInt8], StreamError.Condition)] = [
        (
            Array(("<?xml version='1.0' encoding='ISO-8859-1'?>" + serverHeader.dropFirst(21)).utf8),
            .unsupportedEncoding
        ),
        (Array("HTTP/1.1 400".utf8), .unsupportedEncoding), (Array("<?x y?>".utf8), .restrictedXML),
        (Array("<?xml version='2.0'?>".utf8), .notWellFormed), (Array("<p:stream>".utf8), .notWellFormed),
        (Array("<stream xmlns='\(Namespace.client)' version='1.0'>".utf8), .invalidNamespace),
        (Array("<html xmlns='\(Namespace.streams)'>".utf8), .badFormat),
        (Array("<stream xmlns='\(Namespace.streams)'>".utf8), .unsupportedVersion),
    ]

    @Test("the server is told what is wrong, and then the stream is closed", arguments: Place.allCases)
    func faults(place: Place) throws {
        for (bytes, condition) in Self.anywhere + (place.begins ? Self.begins : Self.within) {
            var login = try place.login()
            let actions = login.server(bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(actions.sent == Self.told(condition), "\(text)")
            #expect(actions.error != nil, "\(text)")
            #expect(login.negotiation.stage == .failed)
            #expect(login.server("<message/>") == [])
        }
    }

    @Test("over the limits before the login it is told so", arguments: Place.allCases)
    func limits(place: Place) throws {
        // From the success on they are those of a session.
        guard place != .headerBehindLogin, place != .binding else { return }
        var login = try place.login()
        let text = String(repeating: "x", count: 11_000)
        let actions = login.server(place.begins ? "<x a='\(text)'>" : "<x>\(text)</x>")
        #expect(actions.sent == Self.told(.policyViolation))
        #expect(actions.error?.code == .malformedStream)
    }

    @Test("between <proceed/> and TLS nothing is said: the server would read it as TLS (RFC 6120 section 5.4.3.3)")
    func duringTLS() throws {
        for (bytes, _) in Self.anywhere + Self.within {
            var login = try Place.requestedTLS.login()
            let actions = login.server(Array("<proceed \(tls)/>".utf8) + bytes)
            #expect(actions.sent == "")
            #expect(actions.error == .plaintextAfterStartTLS)
        }
    }
}
