import CShims

/// What the process has allocated, for benchmarks.
package enum HeapFigures {
    /// Bytes in use, with what the allocator adds to each block; free blocks do not count.
    package static var bytesInUse: Int { Int(clamping: shim_heap_in_use()) }

    /// Gives free pages back to the system.
    package static func trim() { _ = shim_trim_memory() }
}
