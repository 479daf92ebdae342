import CGlibc
import Glibc

/// The process id without a system call, for what a forked child must not share with its parent.
package enum ProcessMark {
  /// Holds the process id; the system clears it in a child.
  private final class Page: @unchecked Sendable {  // the word is only used through atomic operations
    private static let size = 4096
    /// Nil where the system does not clear pages.
    let word: UnsafeMutablePointer<UInt64>?

    init() {
      let address = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let address, address != MAP_FAILED, cglibc_wipe_on_fork(address, Self.size) == 0 else {
        word = nil
        return
      }
      word = address.bindMemory(to: UInt64.self, capacity: Self.size / MemoryLayout<UInt64>.size)
    }
  }

  private static let page = Page()

  package static var current: UInt64 {
    guard let word = page.word else { return UInt64(getpid()) }
    let known = cglibc_atomic_load(word)
    guard known == 0 else { return known }
    let own = UInt64(getpid())
    cglibc_atomic_store(word, own)
    return own
  }
}
