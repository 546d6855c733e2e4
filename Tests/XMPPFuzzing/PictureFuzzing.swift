import XMPPCore

/// The bytes are a picture, and what one is written as in a stanza.
func fuzzPicture(_ input: [UInt8]) -> String? {
    // As a peer would send them.
    let text = Base64.encode(input)
    guard Base64.decode(text) == input else { return "written as Base64 and not read" }
    if let decoded = Base64.decode(String(decoding: input, as: UTF8.self)) {
        // Strictly: there is one way to write some bytes.
        guard Array(Base64.encode(decoded).utf8) == input else { return "Base64 that is written in two ways" }
        if let fault = picture(decoded) { return fault }
    }
    return picture(input)
}

private func picture(_ bytes: [UInt8]) -> String? {
    let format = AvatarImage.Format(startOf: bytes)
    for limit in [AvatarImage.limit, 64] {
        do throws(AvatarImage.Fault) {
            let image = try AvatarImage(bytes, limit: limit)
            if image.bytes != bytes || image.format != format { return "another picture than its bytes" }
            if bytes.count > limit { return "over the limit" }
            if AvatarHash(image.hash.description) != image.hash { return "a hash that cannot be read" }
        } catch {
            continue
        }
    }
    return nil
}
