import Foundation
import Testing
import XMPPCore

@testable import DoorwardStore

/// What is kept of contacts' pictures.
@Suite("Pictures")
final class AvatarTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/doorward-avatars-\(UUID().uuidString)"
    private let image: AvatarImage

    init() throws { image = try AvatarImage(Array("GIF89a\u{1}\0\u{1}\0\0\0\0 one".utf8)) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test("rows are what was written last, by account; a contact that is gone leaves none")
    func rows() async throws {
        let store = try Store(path: ":memory:")
        let until = AvatarRow.Failure(hash: image.hash, until: time(9))
        let ann = AvatarRow(contact: contact("ann"), hash: image.hash, source: .pep, checkedAt: time(1))
        let eve = AvatarRow(contact: contact("eve"), hash: nil, source: nil, checkedAt: time(2), failure: until)
        try await store.save([.known(ann), .known(eve)], of: account)
        #expect(Set(try await store.avatars(of: account)) == [ann, eve])
        #expect(try await store.avatars(of: otherAccount).isEmpty)
        var none = ann
        (none.hash, none.source, none.checkedAt) = (nil, .vCard, time(3))
        try await store.save([.known(none), .removed(contact("eve"))], of: account)
        #expect(try await store.avatars(of: account) == [none])
        #expect(try await store.avatar(of: contact("ann"), account: account) == none)
        #expect(try await store.avatar(of: contact("eve"), account: account) == nil)
        await store.close()
    }

    @Test("of accounts that are not there any more nothing stays")
    func otherAccounts() async throws {
        let store = try Store(path: ":memory:")
        let ann = AvatarRow(contact: contact("ann"), hash: image.hash, source: .pep, checkedAt: time(1))
        let eve = AvatarRow(contact: contact("eve"), hash: nil, source: nil, checkedAt: time(2))
        for owner in [account, otherAccount] { try await store.save([.known(ann), .known(eve)], of: owner) }
        try await store.forgetAvatars(besides: [account, otherAccount])
        #expect(try await store.avatars(of: otherAccount).count == 2)
        try await store.forgetAvatars(besides: [account])
        #expect(try await store.avatars(of: otherAccount).isEmpty)
        #expect(try await store.avatars(of: account).count == 2)
        await store.close()
    }

    @Test("a file is written whole, listed, read, and no picture where it is not what its name says")
    func files() throws {
        let files = AvatarFiles(folder: folder)
        #expect(files.list().isEmpty && files.read(image.hash) == nil)
        try files.write(image)
        try files.write(image)
        #expect(files.list().map(\.hash) == [image.hash] && files.list().map(\.bytes) == [image.bytes.count])
        #expect(files.read(image.hash) == image)
        let path = "\(folder)/\(image.hash)"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        // Damaged, cut off, or another one's.
        try Data("GIF89a\u{1}\0\u{1}\0\0\0\0 two".utf8).write(to: URL(fileURLWithPath: path))
        #expect(files.read(image.hash) == nil)
        files.remove(image.hash)
        #expect(files.list().isEmpty)
    }

    @Test("what is no picture of ours in the folder is passed over, and leftovers of a killed process are removed")
    func strangers() throws {
        let files = AvatarFiles(folder: folder)
        try files.write(image)
        let name = image.hash.description
        for other in ["notes.txt", name.uppercased(), name + ".1a2b.new"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(other)"))
        }
        let link = String(repeating: "a", count: 40)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(link)", withDestinationPath: "/etc/passwd")
        #expect(files.list().map(\.hash) == [image.hash])
        #expect(files.read(try #require(AvatarHash(link))) == nil)
        // To look takes nothing from under one who writes.
        #expect(FileManager.default.fileExists(atPath: "\(folder)/\(name).1a2b.new"))
        files.removeUnfinished()
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(name).1a2b.new"))
        #expect(files.list().map(\.hash) == [image.hash])
        #expect(FileManager.default.fileExists(atPath: "\(folder)/notes.txt"))
    }

    @Test("a folder that cannot be made says so")
    func refused() {
        #expect(throws: StoreError.self) { try AvatarFiles(folder: "/dev/null/avatars").write(image) }
    }
}
