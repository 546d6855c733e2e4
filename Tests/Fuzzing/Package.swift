// swift-tools-version: 6.2
// The fuzzers, in a package of their own: with libFuzzer a program has another main function, which a build without it
// cannot link. `make fuzz` builds and runs them.
import PackageDescription

let package = Package(
    name: "doorward-fuzzing",
    dependencies: [.package(name: "doorward", path: "../..")],
    targets: [
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["CExpat", .product(name: "XMPPFuzzing", package: "doorward")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"), .unsafeFlags(["-parse-as-library"]),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
