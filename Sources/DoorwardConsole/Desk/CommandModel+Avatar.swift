import DoorwardConfig
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// Pictures of contacts, and of accounts.
extension CommandModel {
    func avatar(_ arguments: CommandArguments, by caller: Caller) async throws -> CommandResult {
        guard let account = try arguments.address("account") else {
            return .badUsage("avatar: 'account' is the account's address")
        }
        let contact = try arguments.address("contact")
        guard arguments.has("set") else {
            guard let contact else { return .badUsage("avatar: 'contact' is the address whose picture is asked for") }
            return try await avatar(
                of: contact, account: account, fresh: arguments.flag("fresh"),
                asking: caller.may(.operator) ? .anybody : .contacts)
        }
        guard caller.may(.admin) else {
            return .refused(
                "setting an avatar needs the role admin; \(caller.name) has \(caller.role.rawValue) (operators in the "
                    + "configuration)")
        }
        guard contact == nil, try !arguments.flag("fresh") else {
            return .badUsage("avatar: 'set' goes with the account alone")
        }
        guard let bytes = try Base64.decode(arguments.base64("set")) else {
            return .badUsage("avatar: 'set' is a picture in base64")
        }
        return try await set(bytes, of: account, by: caller)
    }

    private func avatar(
        of contact: BareJID, account: BareJID, fresh: Bool, asking allowed: AvatarAsking
    ) async throws -> CommandResult {
        if let refusal = try await unknown(account) { return refusal }
        switch try await service.avatar(of: contact, account: account, fresh: fresh, asking: allowed) {
        case .failure(let refusal):
            return .refused("the picture of \(contact) is not known: \(refusal.text)")
        case .success(let answer):
            let data = answer.json(account: account)
            guard answer.image != nil else {
                return CommandResult(.refused, data: data, error: "\(contact) has no picture")
            }
            return CommandResult(data: data)
        }
    }

    private func set(_ bytes: [UInt8], of account: BareJID, by caller: Caller) async throws -> CommandResult {
        if let refusal = try await unknown(account) { return refusal }
        let image: AvatarImage
        do throws(AvatarImage.Fault) {
            image = try AvatarImage(bytes, limit: AvatarImage.publishingLimit)
        } catch {
            return .refused(Self.words(error))
        }
        if let refusal = await service.setAvatar(image, of: account, by: caller.name) {
            return .refused("\(account) has not got the picture: \(refusal.text)")
        }
        return CommandResult(
            data: .object([
                "account": .address(account), "hash": .string(image.hash.description),
                "type": .string(image.format.mediaType), "bytes": .integer(image.bytes.count),
            ]))
    }

    /// Why some bytes are no picture to publish.
    static func words(_ fault: AvatarImage.Fault) -> String {
        switch fault {
        case .size(let count):
            "a picture has from 1 to \(AvatarImage.publishingLimit) bytes; this has \(count)"
        case .format:
            "this begins like no picture that is published: PNG, JPEG, GIF or WebP, with its size in front"
        case .dimensions(let width, let height):
            "a picture has at most \(AvatarImage.sideLimit) pixels a side; this has \(width) × \(height)"
        }
    }
}

extension AvatarAnswer {
    /// The object of `avatar`.
    ///
    /// `source` is where the picture was announced, `origin` where the bytes are from.
    func json(account: BareJID) -> JSONValue {
        .object([
            "account": .address(account), "contact": .address(row.contact), "hash": .text(row.hash?.description),
            "type": .text(image?.format.mediaType), "bytes": image.map { .integer($0.bytes.count) } ?? .null,
            "source": .text(row.source?.rawValue), "origin": .string(origin.rawValue),
            "checked_at": .time(row.checkedAt), "refused_hash": .text(row.failure?.hash.description),
            "data": .text(image.map { Base64.encode($0.bytes) }),
        ])
    }
}

extension CommandArguments {
    /// Bytes as a text; empty where there are none.
    func base64(_ name: String) throws(Mistake) -> String {
        guard has(name) else { return "" }
        guard let text = self[name]?.string else { throw Mistake(text: "'\(name)' is a text in base64") }
        return text
    }
}
