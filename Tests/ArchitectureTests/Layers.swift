/// What a target may import.
///
/// This is the one list; Package.swift must say the same.
struct Layer {
    var target: String
    /// Other targets of this package, system libraries among them.
    var dependencies: Set<String>
    /// Modules of the toolchain.
    ///
    /// `Foundation` is in none: it costs time and memory at every start.
    var system: Set<String> = []
}

/// The Swift code of bots, in `bots/`: it knows no more than that of anybody's.
let botTargets: Set<String> = ["EchoBot", "GreeterBot"]

let toolchainModules: Set<String> = ["FoundationEssentials", "Glibc", "Dispatch", "Synchronization"]

/// From the bottom to the top.
///
/// XMPPCore, XMPPSession and DoorwardPolicy are pure: no I/O, no clock, no tasks.
let layers: [Layer] = [
    Layer(target: "XMPPCrypto", dependencies: ["COpenSSL", "COpenSSLStart"]),
    Layer(target: "XMPPCore", dependencies: ["XMPPCrypto", "CLibXML2", "CIDN2", "CUnistring"]),
    Layer(target: "XMPPSession", dependencies: ["XMPPCore", "XMPPCrypto"]),
    Layer(
        target: "XMPPTransport",
        dependencies: ["COpenSSL", "COpenSSLStart", "CCAres", "CShims"],
        system: ["Glibc", "Dispatch", "Synchronization"]
    ),
    Layer(
        target: "XMPPClient",
        dependencies: ["XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport"],
        system: ["FoundationEssentials"]
    ),
    Layer(target: "XMPPModules", dependencies: ["XMPPCore", "XMPPCrypto", "XMPPTransport", "XMPPClient"]),
    Layer(
        target: "XMPPTestKit",
        dependencies: ["XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules"],
        system: ["Dispatch", "Glibc"]
    ),
    Layer(target: "DoorwardPolicy", dependencies: ["XMPPCore"]),
    Layer(
        target: "DoorwardConfig",
        dependencies: ["XMPPCore", "XMPPCrypto", "XMPPTransport", "DoorwardPolicy", "CLibYAML"],
        system: ["Glibc"]
    ),
    Layer(
        target: "DoorwardStore",
        dependencies: ["XMPPCore", "XMPPCrypto", "DoorwardPolicy", "CSQLite"],
        system: ["FoundationEssentials", "Glibc", "Synchronization"]
    ),
    Layer(
        target: "DoorwardRuntime",
        dependencies: [
            "XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules", "DoorwardPolicy",
            "DoorwardConfig", "DoorwardStore",
        ]
    ),
    Layer(
        target: "DoorwardConsole",
        dependencies: [
            "XMPPCore", "XMPPCrypto", "XMPPSession", "XMPPTransport", "XMPPClient", "XMPPModules", "DoorwardPolicy",
            "DoorwardConfig", "DoorwardStore", "DoorwardRuntime", "CQREncode",
        ],
        system: ["Glibc", "Dispatch"]
    ),
    Layer(target: "doorward", dependencies: botTargets.union(["XMPPClient", "DoorwardConsole"])),
    Layer(
        target: "doorward-bench",
        dependencies: [
            "XMPPCore", "XMPPCrypto", "XMPPTransport", "XMPPClient", "XMPPModules", "XMPPTestKit", "DoorwardPolicy",
            "DoorwardConfig",
            "DoorwardStore", "DoorwardRuntime", "DoorwardConsole",
        ],
        system: ["FoundationEssentials", "Glibc", "Dispatch"]
    ),
]

/// C code and module maps: not Swift targets.
///
/// `bench-peers` is a package of its own.
let nativeTargets: Set<String> = [
    "CLibXML2", "COpenSSL", "COpenSSLStart", "CLibYAML", "CSQLite", "CIDN2", "CUnistring", "CCAres", "CShims",
    "CQREncode",
    "bench-peers",
]
