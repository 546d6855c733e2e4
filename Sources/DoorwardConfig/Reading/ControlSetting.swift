/// The key `control` of a configuration or an overlay, read alone.
///
/// A command that asks the running service must find it while the files have faults, and must find the socket that the
/// service made of the same text: so the same reader reads it, and no fault is told.
package enum ControlSetting {
    /// The socket's absolute path, as the service resolves it.
    ///
    /// - Parameters:
    ///   - bytes: What the file holds.
    ///   - path: The file as it was opened; the socket's path is relative to its folder.
    /// - Returns: Nil where nothing that can be read of the file says it.
    package static func path(in bytes: [UInt8], of path: String) -> String? {
        let file = SourceFile(openedPath: path, bytes: bytes, mayHoldSecrets: false)
        let faults = FaultCollector()
        guard let document = YAMLReader.read(file, into: faults),
            case .mapping(let entries) = document.root.content,
            let entry = entries.first(where: { $0.key.utf8.elementsEqual("control".utf8) })
        else { return nil }
        let reader = FileReader(file: file, faults: faults, isComplete: document.isComplete)
        return reader.text(entry.value, "control").map(reader.resolveAbsolute)
    }
}
