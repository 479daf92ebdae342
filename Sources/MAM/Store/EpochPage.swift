import CGlibc
import Glibc

/// A counter that all processes on one state folder share. Raised after every commit to keys or state, so that one
/// atomic load tells whether what is cached is still true.
package final class EpochPage: @unchecked Sendable {  // the page is only used through atomic operations
  private static let size = 4096
  private let page: UnsafeMutablePointer<UInt64>

  package init(path: String) throws(MAMError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    // Written, not only lengthened: on a full disk a hole would be SIGBUS at the first touch.
    let failure = posix_fallocate(descriptor, 0, off_t(Self.size))
    guard failure == 0 else { throw .cannotUse(path, failure) }
    let address = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let address, address != MAP_FAILED else { throw .cannotUse(path, errno) }
    page = address.bindMemory(to: UInt64.self, capacity: Self.size / MemoryLayout<UInt64>.size)
  }

  deinit {
    munmap(page, Self.size)
  }

  package var value: UInt64 { cglibc_atomic_load(page) }

  @discardableResult
  package func raise() -> UInt64 { cglibc_atomic_increment(page) }
}
