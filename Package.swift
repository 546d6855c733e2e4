// swift-tools-version: 6.2
// The targets are the architecture: docs/ARCHITECTURE.md draws the arrows, Tests/ArchitectureTests holds them.
import PackageDescription

/// The one list of compiler settings; every Swift target has it.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name)] + dependencies,
        resources: resources,
        swiftSettings: settings
    )
}

/// The Swift code of a bot with its tests.
///
/// `Sources/doorward/BuiltInModules.swift` lists its modules.
func bot(_ folder: String, _ name: String) -> [Target] {
    [
        .target(
            name: name, dependencies: ["XMPPCore", "XMPPClient", "XMPPModules"], path: "bots/\(folder)/Sources",
            swiftSettings: settings),
        .testTarget(
            name: name + "Tests", dependencies: [.byName(name: name), "XMPPCore", "XMPPClient", "XMPPTestKit"],
            path: "bots/\(folder)/Tests", swiftSettings: settings),
    ]
}

/// The tests of a bot without Swift code: its rules at work in the whole service.
func tests(ofRules folder: String, _ name: String) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: ["BotStage", "XMPPCore", "XMPPTestKit", "DoorwardStore"],
        path: "bots/\(folder)/Tests", swiftSettings: settings)
}

let package = Package(
    name: "doorward",
    products: [
        // For programs of others; XMPPSession and XMPPTransport are parts of XMPPClient. Tests/Outside holds that they do.
        .library(name: "XMPPCore", targets: ["XMPPCore"]),
        .library(name: "XMPPClient", targets: ["XMPPClient"]),
        .library(name: "XMPPModules", targets: ["XMPPModules"]),
        .library(name: "XMPPTestKit", targets: ["XMPPTestKit"]),
        // For the fuzzers of Tests/Fuzzing, a package of their own.
        .library(name: "XMPPFuzzing", targets: ["XMPPFuzzing"]),
        .library(name: "DoorwardRuntime", targets: ["DoorwardRuntime"]),
        .library(name: "DoorwardConsole", targets: ["DoorwardConsole"]),
        .executable(name: "doorward", targets: ["doorward"]),
        .executable(name: "doorward-bench", targets: ["doorward-bench"]),
    ],
    targets: [
        // Debian's libraries. A module map and a shim header each.
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(name: "CUnistring", providers: [.apt(["libunistring-dev"])]),
        .systemLibrary(name: "CCAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // What Swift cannot import of glibc: epoll, signalfd, SO_PEERCRED.
        .target(name: "CShims"),
        // What must be said to OpenSSL before main.
        .target(name: "COpenSSLStart", dependencies: ["COpenSSL"]),

        // XMPP*: knows nothing of Doorward.
        library("XMPPCrypto", ["COpenSSL", "COpenSSLStart"]),
        library("XMPPCore", ["XMPPCrypto", "CLibXML2", "CIDN2", "CUnistring"]),
        library("XMPPSession", ["XMPPCore", "XMPPCrypto"]),
        library("XMPPTransport", ["COpenSSL", "COpenSSLStart", "CCAres", "CShims"]),
        library("XMPPClient", ["XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport"]),
        library("XMPPModules", ["XMPPCore", "XMPPCrypto", "XMPPTransport", "XMPPClient"]),
        library(
            "XMPPTestKit", ["XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules"]),

        // Doorward*: the product.
        library("DoorwardPolicy", ["XMPPCore"]),
        library("DoorwardConfig", ["XMPPCore", "XMPPCrypto", "XMPPTransport", "DoorwardPolicy", "CLibYAML"]),
        library("DoorwardStore", ["XMPPCore", "XMPPCrypto", "DoorwardPolicy", "CSQLite"]),
        library(
            "DoorwardRuntime",
            [
                "XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules",
                "DoorwardPolicy", "DoorwardConfig", "DoorwardStore",
            ]),
        library(
            "DoorwardConsole",
            [
                "XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules",
                "DoorwardPolicy", "DoorwardConfig", "DoorwardStore", "DoorwardRuntime", "CQREncode",
            ]),
        .executableTarget(
            name: "doorward", dependencies: ["XMPPClient", "DoorwardConsole", "EchoBot", "GreeterBot"],
            swiftSettings: settings),
        .executableTarget(
            name: "doorward-bench",
            dependencies: [
                "XMPPCore", "XMPPCrypto", "XMPPTransport", "XMPPClient", "XMPPModules", "XMPPTestKit",
                "DoorwardPolicy", "DoorwardConfig", "DoorwardStore", "DoorwardRuntime", "DoorwardConsole",
            ],
            swiftSettings: settings),

        .target(
            name: "XMPPFuzzing",
            dependencies: [
                "XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules", "COpenSSL",
            ],
            path: "Tests/XMPPFuzzing",
            swiftSettings: settings),
        tests(of: "XMPPFuzzing"),

        tests(of: "XMPPCrypto"),
        tests(of: "XMPPCore"),
        tests(of: "XMPPSession", ["XMPPCore", "XMPPCrypto"]),
        tests(of: "XMPPTransport", ["XMPPTestKit"]),
        tests(
            of: "XMPPClient",
            ["XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPModules", "XMPPTestKit"]),
        tests(of: "XMPPModules", ["XMPPCore", "XMPPClient", "XMPPTestKit"]),
        tests(of: "XMPPTestKit", ["XMPPCore", "XMPPCrypto", "XMPPTransport", "XMPPClient"]),
        tests(of: "DoorwardPolicy", ["XMPPCore"]),
        tests(of: "DoorwardConfig", ["XMPPCore", "XMPPClient", "DoorwardPolicy", "EchoBot", "GreeterBot"]),
        tests(of: "DoorwardStore", ["XMPPCore", "XMPPCrypto", "DoorwardPolicy"]),
        tests(
            of: "DoorwardRuntime",
            [
                "XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules", "XMPPTestKit",
                "DoorwardPolicy", "DoorwardConfig", "DoorwardStore", "EchoBot",
            ]),
        tests(
            of: "DoorwardConsole",
            [
                "XMPPCore", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules", "XMPPTestKit",
                "DoorwardPolicy", "DoorwardConfig", "DoorwardStore", "DoorwardRuntime", "EchoBot", "GreeterBot",
            ]),
        .testTarget(name: "ArchitectureTests", swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules", "XMPPTestKit",
                "doorward", "DoorwardConsole",
            ],
            resources: [.copy("Servers")],
            swiftSettings: settings),
        .target(
            name: "BotStage",
            dependencies: [
                "XMPPCore", "XMPPTransport", "XMPPTestKit", "DoorwardPolicy", "DoorwardConfig", "DoorwardStore",
                "DoorwardRuntime",
            ],
            path: "Tests/BotStage", swiftSettings: settings),
        tests(ofRules: "doorkeeper", "DoorkeeperBot"), tests(ofRules: "janitor", "JanitorBot"),
        tests(ofRules: "lobby", "LobbyBot"),
    ] + bot("echo", "EchoBot") + bot("greeter", "GreeterBot"),
    swiftLanguageModes: [.v6]
)
