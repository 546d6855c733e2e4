import Glibc
import XMPPFuzzing

/// One of the targets, or `expat`, by the environment variable `FUZZ_TARGET`.
private let target: @Sendable ([UInt8]) -> String? = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    if name == "expat" { return { differsFromExpat($0) } }
    guard let target = FuzzTarget(rawValue: name) else {
        complain("FUZZ_TARGET is one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")) expat")
        exit(2)
    }
    return { target.run($0) }
}()

/// What libFuzzer calls with each input; a fault ends the program, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    if let fault = target(bytes) {
        complain(fault)
        abort()
    }
    return 0
}

private func complain(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    write(STDERR_FILENO, bytes, bytes.count)
}
