import Foundation

/// How often a test of random inputs tries: for some seconds, or with `DOORWARD_TEST_ALL=1` as often as its case wants.
enum TestCounts {
    static let isAll = ProcessInfo.processInfo.environment["DOORWARD_TEST_ALL"] == "1"

    static func rounds(usual: Int, all: Int) -> Int { isAll ? all : usual }
}
