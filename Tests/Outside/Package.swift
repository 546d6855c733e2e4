// swift-tools-version: 6.2
// A bot as its author writes it: in a package of its own, with the products of this one and nothing else. `.ci/outside`
// builds and tests it; it can be copied and begun from.
import PackageDescription

let package = Package(
    name: "greeter",
    dependencies: [.package(name: "doorward", path: "../..")],
    targets: [
        .target(
            name: "Greeter",
            dependencies: [
                .product(name: "XMPPCore", package: "doorward"), .product(name: "XMPPClient", package: "doorward"),
                .product(name: "XMPPModules", package: "doorward"),
            ]),
        .testTarget(
            name: "GreeterTests",
            dependencies: [
                "Greeter", .product(name: "XMPPCore", package: "doorward"),
                .product(name: "XMPPClient", package: "doorward"), .product(name: "XMPPTestKit", package: "doorward"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
