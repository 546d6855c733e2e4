extension Fault {
    /// The fault as `doorward check` prints it, without a final newline.
    package func rendered() -> String {
        "\(path):\(line):\(column): \(severity.rawValue)[\(code)]: \(message)"
    }
}
