import DoorwardStore
import Testing
import XMPPCore
import XMPPTransport

@testable import DoorwardRuntime

/// The pictures of the whole fleet.
@Suite struct AvatarFleetTests {
    private func image(_ number: Int, bytes: Int = 100) throws -> AvatarImage {
        let start = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0] + Array("\(number) ".utf8)
        return try AvatarImage(start + [UInt8](repeating: 0, count: bytes - start.count))
    }

    /// Returns when the file is there.
    private func written(_ files: AvatarFiles, count: Int) async {
        while files.list().count != count { await Task.yield() }
    }

    @Test("of those who want a picture one fetches it, and the others are told when it is there")
    func single() throws {
        let (fleet, image) = (AvatarFleet(), try image(1))
        let told = Locked<[Bool]>([])
        for _ in 0..<3 { fleet.claim(image.hash) { kept in told.withLock { $0.append(kept) } } }
        #expect(told.withLock { $0 } == [false])
        fleet.keep(image)
        #expect(told.withLock { $0 } == [false, true, true])
        fleet.claim(image.hash) { kept in told.withLock { $0.append(kept) } }
        #expect(told.withLock { $0.last } == true)
    }

    @Test("where one could not fetch it, the next who waits may, and nobody waits for ever")
    func release() throws {
        let (fleet, image) = (AvatarFleet(), try image(1))
        let told = Locked<[Bool]>([])
        for _ in 0..<2 { fleet.claim(image.hash) { kept in told.withLock { $0.append(kept) } } }
        fleet.release(image.hash)
        #expect(told.withLock { $0 } == [false, false])
        fleet.release(image.hash)
        fleet.release(image.hash)
        fleet.claim(image.hash) { kept in told.withLock { $0.append(kept) } }
        #expect(told.withLock { $0 } == [false, false, false])
    }

    @Test("the bound in bytes and that in number hold, and what was used longest ago goes first")
    func bounds() async throws {
        let fleet = AvatarFleet(bounds: .init(bytes: 1_000, count: 100))
        let images = try (0..<10).map { try image($0) }
        for image in images { fleet.keep(image) }
        #expect(fleet.size.count == 10)
        #expect(await fleet.image(images[0].hash) == images[0])
        fleet.keep(try image(10))
        #expect(fleet.size.bytes <= 1_000)
        #expect(fleet.contains(images[0].hash) && !fleet.contains(images[1].hash))
        let few = AvatarFleet(bounds: .init(bytes: 1_000_000, count: 20))
        for number in 0..<50 { few.keep(try image(number)) }
        #expect(few.size.count <= 20)
    }

    @Test("what one contact changes drives out nobody's picture: of each the newest few are kept (D5)")
    func shares() async throws {
        let folder = try StoreFolder()
        let files = AvatarFiles(folder: folder.file("avatars"))
        let fleet = AvatarFleet(files: files, bounds: .init(bytes: 10_000, count: 100))
        let others = try (0..<50).map { try image($0) }
        for (number, image) in others.enumerated() { fleet.keep(image, of: .of("c\(number)")) }
        let own = try (1_000..<2_000).map { try image($0) }
        for image in own { fleet.keep(image, of: .ally) }
        #expect(others.allSatisfy { fleet.contains($0.hash) })
        #expect(own.filter { fleet.contains($0.hash) } == own.suffix(4))
        #expect(fleet.size == (54, 5_400))
        await written(files, count: 54)
        // What went by the bound for all is its giver's no more.
        for number in 2_000..<2_100 { fleet.keep(try image(number), of: .of("c\(number)")) }
        #expect(fleet.size.bytes <= 10_000)
        for image in own { fleet.keep(image, of: .ally) }
        #expect(own.filter { fleet.contains($0.hash) } == own.suffix(4))
    }

    @Test("the next process finds the pictures of the one before, and a damaged file is forgotten")
    func restart() async throws {
        let folder = try StoreFolder()
        let files = AvatarFiles(folder: folder.file("avatars"))
        let (one, two) = (try image(1), try image(2))
        let first = AvatarFleet(files: files)
        first.keep(one)
        first.keep(two)
        await written(files, count: 2)
        let second = AvatarFleet(files: files)
        #expect(second.size.count == 2 && second.size.bytes == 200)
        #expect(await second.image(one.hash) == one)
        files.remove(two.hash)
        #expect(await second.image(two.hash) == nil)
        #expect(!second.contains(two.hash) && second.size.bytes == 100)
        // A folder over the bounds is brought within them.
        let third = AvatarFleet(files: files, bounds: .init(bytes: 50, count: 10))
        #expect(third.size.count == 0 && files.list().isEmpty)
    }
}
