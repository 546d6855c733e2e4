import Glibc
import XMPPCrypto

/// A certificate authority of a test's own: what it signs is trusted by those who are given `caFile`, and by nobody else.
///
/// Its files are in a new temporary folder, which goes with it.
public final class TestAuthority: Sendable {
    /// A certificate with its key, in files.
    public struct Certificate: Sendable, Hashable {
        /// The certificate (PEM).
        public let certificateFile: String
        /// Its private key (PEM, without a passphrase).
        public let keyFile: String
    }

    /// A file or a certificate could not be made.
    public struct Failure: Error, CustomStringConvertible {
        /// What could not be done.
        public let description: String
    }

    /// The file of the authority's certificate (PEM): the one to be trusted.
    public let caFile: String
    private let folder: String
    private let maker: CertificateMaker

    /// A new authority.
    ///
    /// - Throws: `Failure` where its files cannot be written.
    public init() throws(Failure) {
        var template = Array("/tmp/xmpp-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder could be made") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        caFile = folder + "/ca.pem"
        do throws(CertificateMaker.Failure) {
            maker = try CertificateMaker(name: "an authority of a test")
        } catch {
            throw Failure(description: error.description)
        }
        try Self.write(maker.authority, to: caFile)
    }

    deinit {
        guard let entries = opendir(folder) else { return }
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink(folder + "/" + name)
        }
        closedir(entries)
        rmdir(folder)
    }

    /// A server's certificate for these domains (A-labels).
    public func certificate(for domains: String...) throws(Failure) -> Certificate {
        try make(domains.map { "DNS:\($0)" }, .server)
    }

    /// A client's certificate that names an account (XEP-0178: as id-on-xmppAddr), for EXTERNAL.
    public func clientCertificate(for account: String) throws(Failure) -> Certificate {
        try make(["otherName:1.3.6.1.5.5.7.8.5;UTF8:\(account)"], .client)
    }

    private func make(_ names: [String], _ purpose: CertificateMaker.Purpose) throws(Failure) -> Certificate {
        let pair: CertificateMaker.Pair
        do throws(CertificateMaker.Failure) {
            pair = try maker.make(names: names, purpose: purpose)
        } catch {
            throw Failure(description: error.description)
        }
        let stem = folder + "/" + hexadecimal(randomBytes(8))
        let result = Certificate(certificateFile: stem + ".pem", keyFile: stem + ".key")
        try Self.write(pair.certificate, to: result.certificateFile)
        try Self.write(pair.key, to: result.keyFile)
        return result
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(description: "\(path) could not be made") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Failure(description: "\(path) could not be written")
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
        Glibc.write(descriptor, bytes, count)
    }
}
