import DoorwardConfig
import Foundation
import Testing

@Suite struct FilePathTests {
    private static let folder = FileManager.default.currentDirectoryPath

    @Test(
        "a path is shown as it was named, or relative to the working folder where it is inside of it",
        arguments: [
            ("config/doorward.yaml", "config/doorward.yaml"), ("./a/../b.yaml", "b.yaml"), ("../b.yaml", "../b.yaml"),
            (folder + "/config/doorward.yaml", "config/doorward.yaml"), (folder + "/a/../b.yaml", "b.yaml"),
            (folder + "/config/../bots/é/bot.yaml", "bots/é/bot.yaml"), (folder + "x/b.yaml", folder + "x/b.yaml"),
            ("/nonexistent/./b.yaml", "/nonexistent/b.yaml"), ("/", "/"), (folder, folder),
        ]
    )
    func shown(path: String, expected: String) {
        #expect(FilePath.shown(path) == expected)
    }

    @Test("however the configuration is named, its faults have the same paths")
    func same() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let absolute = root + "/config/doorward.yaml"
        let one = ConfigurationLoader.load(path: absolute, overlay: nil).faults
        #expect(one == ConfigurationLoader.load(path: FilePath.shown(absolute), overlay: nil).faults)
    }

    @Test("paths of a file behind a symbolic link are relative to the file's own folder")
    func links() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try FileManager.default.createDirectory(atPath: workspace.path("a/b"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: workspace.path("a/b/config"),
            withDestinationPath: workspace.path("config")
        )
        let result = ConfigurationLoader.load(path: workspace.path("a/b/config/doorward.yaml"), overlay: nil)
        #expect(result.faults.isEmpty, "\(result.faults)")
        #expect(result.configuration?.accounts.map(\.bot) == ["b"])
    }

    @Test("a fault of a whole file is shown at its begin; one without a line has none")
    func wholeFile() throws {
        let workspace = Workspace()
        try workspace.write("comment.yaml", "# nothing\n")
        try workspace.write("empty.yaml", "")
        func first(_ name: String) -> Fault? { PolicyLoader.load(path: workspace.path(name)).faults.first }
        #expect(
            first("comment.yaml")?.rendered().hasSuffix(":1:1: error[DW005]: the file is empty\n    # nothing\n    ^")
                == true)
        #expect(first("empty.yaml")?.rendered().hasSuffix("/empty.yaml:0:0: error[DW005]: the file is empty") == true)
        #expect(first("none.yaml")?.line == 0)
    }
}
