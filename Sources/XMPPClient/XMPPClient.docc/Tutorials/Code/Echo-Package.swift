// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "echo",
    dependencies: [.package(name: "doorward", path: "../doorward")],
    targets: [
        .executableTarget(
            name: "echo",
            dependencies: [
                .product(name: "XMPPClient", package: "doorward"), .product(name: "XMPPCore", package: "doorward"),
            ])
    ])
