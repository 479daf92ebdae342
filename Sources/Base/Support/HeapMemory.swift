import CGlibc
import Glibc

/// Keeps the memory of long messages for the next ones, and returns it to the system if none arrive for a while. Heaps
/// grow in large steps, because otherwise each page of the first answer is a call of the system.
///
/// Fresh memory costs more than the work done in it, because the system clears and maps each page. A program that only
/// uses these modules keeps the C library's defaults; the executable opts in.
package enum HeapMemory {
  /// Larger blocks are allocated from the system and freed one by one.
  private static let longestKept: Int32 = 8 << 20
  /// The limit for free memory at the end of a heap.
  private static let mostKept: Int32 = 16 << 20
  /// How much more than needed a heap asks for. Memory that is not touched costs nothing.
  private static let step: Int32 = 1 << 20

  /// The same limit as `longestKept`, for a process that called `keepLittle`.
  private static let longestInHeap: Int32 = 256 << 10

  /// How long free memory is kept.
  private static let patience = Duration.seconds(1)

  private static let isDue = Lock(false)

  /// Applies to the whole process from now on.
  package static func keepForLongMessages() {
    mallopt(M_MMAP_THRESHOLD, longestKept)
    mallopt(M_TRIM_THRESHOLD, mostKept)
    mallopt(M_TOP_PAD, step)
  }

  /// For a server that holds much in memory and rarely changes it: threads share heaps, and large blocks are allocated
  /// from the system, so that what is freed can be returned. To be called before other threads start.
  package static func keepLittle() {
    mallopt(M_ARENA_MAX, Int32(clamping: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    mallopt(M_MMAP_THRESHOLD, longestInHeap)
  }

  /// Whether the system would now allocate this much in one piece. Swift's own types trap if it does not, so check
  /// before creating something large.
  package static func hasRoom(forBytes count: Int) -> Bool { cglibc_has_room(max(1, count)) != 0 }

  /// Must be called when a long message arrives or is freed. Safe to call from any thread.
  package static func releaseSoon() {
    let isFirst = isDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    guard isFirst else { return }
    _ = Timers.shared.after(patience) {
      isDue.withLock { $0 = false }
      malloc_trim(0)
    }
  }
}
