/// A word as a shell reads it: in quotes where it would be read otherwise.
func shellQuoted(_ word: String) -> String {
    let isPlain = { (byte: UInt8) in
        byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "+")...UInt8(ascii: ":")).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "@")
    }
    guard word.isEmpty || !word.utf8.allSatisfy(isPlain) else { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
