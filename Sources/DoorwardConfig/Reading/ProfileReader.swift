import XMPPCore

/// Reads the `profile` of a bot or an account.
struct ProfileReader {
    private static let schema = Schema(
        "a profile",
        keys: ["name", "nickname", "avatar"],
        synonyms: [
            "fn": "name", "full_name": "name", "display_name": "name", "nick": "nickname", "photo": "avatar",
            "picture": "avatar", "image": "avatar", "icon": "avatar",
        ]
    )

    /// Emoji, Persian and the scripts of India are written with these (U+200D, U+200C).
    private static let joiners: [Unicode.Scalar] = ["\u{200D}", "\u{200C}"]

    let reader: FileReader

    /// The profile; with faults, what of it is sound.
    func profile(_ node: YAMLNode) -> ProfileConfiguration {
        let example = "{ name: Support, nickname: support, avatar: images/support.png }"
        guard let map = reader.mapping(node, "a profile", example: example) else { return ProfileConfiguration() }
        let entries = reader.entries(map, of: Self.schema, at: node.mark)
        return ProfileConfiguration(
            name: entries["name"].flatMap { reader.name($0.value, "a profile's name", joiners: Self.joiners) },
            nickname: entries["nickname"].flatMap { reader.name($0.value, "a nickname", joiners: Self.joiners) },
            avatar: entries["avatar"].flatMap { avatar($0.value) })
    }

    private func avatar(_ node: YAMLNode) -> AvatarImage? {
        guard let path = reader.text(node, "avatar") else { return nil }
        // A picture in the file, or somewhere on the web, is written like this; neither is read.
        for scheme in ["data:", "http:", "https:"] where path.utf8.starts(with: scheme.utf8) {
            report(node, "avatar is the path of a file with a picture, and no URL")
            return nil
        }
        let file = reader.resolveAbsolute(path)
        let shown = FilePath.shown(file)
        let bytes: [UInt8]
        do throws(FileLoading.Failure) {
            bytes = try FileLoading.bytes(of: file, limit: AvatarImage.publishingLimit)
        } catch .tooLarge(let limit) {
            report(node, "the picture \(shown) has more than \(limit) bytes, which is the most that is published")
            return nil
        } catch {
            report(node, "the picture \(shown) cannot be read: \(error.words)")
            return nil
        }
        do throws(AvatarImage.Fault) {
            return try AvatarImage(bytes, limit: AvatarImage.publishingLimit)
        } catch {
            switch error {
            case .size: report(node, "the picture \(shown) is empty")
            case .format:
                report(node, "the file \(shown) begins like no picture that is published: PNG, JPEG, GIF or WebP")
            case .dimensions(let width, let height):
                let most = "the most that is published is \(AvatarImage.sideLimit) a side"
                report(node, "the picture \(shown) has \(width) × \(height) pixels; \(most)")
            }
        }
        return nil
    }

    private func report(_ node: YAMLNode, _ message: String) {
        reader.report(FaultCatalogue.badAvatar, node.mark, message)
    }
}
