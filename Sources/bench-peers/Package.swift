// swift-tools-version: 6.2
// The other sides of `doorward-bench`, in C: a load server, a bare bot, single pieces of work. Not part of the product.
//
//     swift build -c release --product bench-server
//     swift build -c release --product bench-floor     needs libexpat1-dev
//     swift build -c release --product bench-micro     needs libexpat1-dev
//     swift build -c release --product bench-loop      needs libuv1-dev: only for docs/design/007-event-loop.md
import PackageDescription

let settings: [CSetting] = [
    .define("_GNU_SOURCE"),
    // OpenSSL has its own headers and libraries in the standard places; nothing of the main package is used.
    .headerSearchPath("."),
]

let package = Package(
    name: "bench-peers",
    products: [
        .executable(name: "bench-server", targets: ["bench-server"]),
        .executable(name: "bench-floor", targets: ["bench-floor"]),
        .executable(name: "bench-micro", targets: ["bench-micro"]),
        .executable(name: "bench-loop", targets: ["bench-loop"]),
    ],
    targets: [
        .target(name: "BenchCommon", path: "common", cSettings: settings, linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "bench-server", dependencies: ["BenchCommon"], path: "server", cSettings: settings,
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .executableTarget(
            name: "bench-floor", dependencies: ["BenchCommon"], path: "floor", cSettings: settings,
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto"), .linkedLibrary("expat")]),
        .executableTarget(
            name: "bench-micro", dependencies: ["BenchCommon"], path: "micro", cSettings: settings,
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("expat")]),
        .executableTarget(
            name: "bench-loop", path: "loop", cSettings: settings, linkerSettings: [.linkedLibrary("uv")]),
    ]
)
