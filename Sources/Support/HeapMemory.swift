import CGlibc

/// Keeps what long messages took for the next ones, and gives it back to the system when none come for a while.
///
/// Memory fresh from the system costs more than what is done in it: each page is cleared and faulted in. A program that
/// only uses these modules keeps the C library's own ways; the executable asks for these.
package enum HeapMemory {
  /// Blocks from here on are taken from the system and given back one by one.
  private static let longestKept: Int32 = 8 << 20
  /// Of free memory at the end of a heap.
  private static let mostKept: Int32 = 16 << 20

  /// How long free memory is kept.
  private static let patience = Duration.seconds(1)

  private static let isDue = Lock(false)

  /// For the whole process, from now on.
  package static func keepForLongMessages() {
    mallopt(M_MMAP_THRESHOLD, longestKept)
    mallopt(M_TRIM_THRESHOLD, mostKept)
  }

  /// Whether the system would give so much in one piece now. Swift's own types trap where it does not, so this is asked
  /// before what is large is made.
  package static func hasRoom(forBytes count: Int) -> Bool {
    let probe = malloc(max(1, count))
    free(probe)
    return probe != nil
  }

  /// To be called when a long message has come or goes. Any thread.
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
