/// Texts that someone could send to reach the operator's terminal, log or scripts.
enum StrangerTexts {
    static let controls: [String] = (0x00...0x1F).map { scalar($0) } + (0x7F...0x9F).map { scalar($0) }

    static let bidirectional: [String] =
        [0x061C, 0x200E, 0x200F, 0x2028, 0x2029].map { scalar($0) } + (0x202A...0x202E).map { scalar($0) }
        + (0x2066...0x2069).map { scalar($0) }

    static let sequences: [String] = [
        "\u{1B}[2J\u{1B}[H", "\u{1B}]0;title\u{7}", "\u{1B}]8;;http://evil.example\u{1B}\\click\u{1B}]8;;\u{1B}\\",
        "\u{1B}]52;c;cm0gLXJmIC8=\u{7}", "\u{9B}31m", "\u{9D}0;x\u{9C}", "a\rOK accepted", "a\n17  fake@row.example",
        "a\u{8}\u{8}b", "\u{202E}gro.elpmaxe@nna", "a\u{2066}b\u{2069}", "zero\u{200B}width\u{FEFF}", "tag\u{E0041}",
        "a" + String(repeating: "\u{301}", count: 200), "\u{301}leading mark", "soft\u{AD}hyphen",
        "\u{115F}\u{3164}filler",
        "\\u{1B}[2J spelled", "\u{0}", "{\"a\":1}", "key=value \"quoted\"", "", " ", "\u{10FFFF}", "\u{E000}",
        String(repeating: "long ", count: 300), "\u{200D}x", "x\u{200D}y", "😀\u{200D}", "😀\u{200D}\u{202E}x",
        "\u{FE0F}", "1\u{FE0F}", "日本語のテキスト", "😀😀", "Ελληνικά", "שלום",
    ]

    static let all: [String] = controls.map { "x" + $0 + "y" } + bidirectional.map { "x" + $0 + "y" } + sequences

    private static func scalar(_ value: UInt32) -> String {
        Unicode.Scalar(value).map { String(Character($0)) } ?? ""
    }
}
