import CGlibc
import Glibc
import Model
import Support

/// A counter that all processes on one state folder share. Raised after every commit to keys or state, so that one
/// atomic load tells whether what is cached is still true.
///
/// A file that is cut off while it is mapped would kill every process that looks at it (SIGBUS). Instead the counter is
/// lost and reads 0, and whoever finds that opens the page again. A new counter begins with the time, so that it is
/// never behind one that was lost.
package final class EpochPage: @unchecked Sendable {  // the page is only used through atomic operations
  private static let size = 4096
  private let page: UnsafeMutablePointer<UInt64>
  /// Nil for memory of this process, where there is no file to read.
  private let mapping: OpaquePointer?
  /// The counter when the page was opened, behind which it never falls but by being cut off.
  private let first: UInt64
  /// Of a page that can only be read: what this process alone has raised.
  private let own: UnsafeMutablePointer<UInt64>?

  package init(path: String) throws(MAMError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    // Written, not only lengthened: on a full disk a hole would be SIGBUS at the first touch.
    let failure = posix_fallocate(descriptor, 0, off_t(Self.size))
    guard failure == 0 else { throw .cannotUse(path, failure) }
    guard let (page, mapping) = Self.map(descriptor, PROT_READ | PROT_WRITE) else { throw .cannotUse(path, errno) }
    (self.page, self.mapping, own) = (page, mapping, nil)
    cglibc_atomic_begin(page, UInt64(clamping: SystemClock().now.milliseconds) << 20)
    first = cglibc_atomic_load(page)
  }

  /// Of a state that can only be read. Changes by others are seen while there is a file; a missing one is no error.
  package init(reading path: String) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    let own = Self.counter(at: 0)
    self.own = own
    if let (page, mapping) = Self.isWhole(descriptor) ? Self.map(descriptor, PROT_READ) : nil {
      (self.page, self.mapping) = (page, mapping)
    } else {
      (page, mapping) = (Self.counter(at: 1), nil)
    }
    first = cglibc_atomic_load(page)
  }

  deinit {
    own?.deallocate()
    guard let mapping else { return page.deallocate() }
    cglibc_unguard_page(mapping)
    munmap(page, Self.size)
  }

  package var value: UInt64 { cglibc_atomic_load(page) &+ (own.map { cglibc_atomic_load($0) } ?? 0) }

  /// Whether the file was cut off, and the counter with it.
  package var isLost: Bool {
    guard let mapping else { return false }
    return cglibc_is_page_lost(mapping) != 0 || cglibc_atomic_load(page) < first
  }

  @discardableResult
  package func raise() -> UInt64 {
    guard let own else { return cglibc_atomic_increment(page) }
    cglibc_atomic_increment(own)
    return value
  }

  private static func isWhole(_ descriptor: Int32) -> Bool {
    var status = stat()
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_size >= off_t(size)
  }

  private static func map(
    _ descriptor: Int32, _ protection: Int32
  ) -> (page: UnsafeMutablePointer<UInt64>, mapping: OpaquePointer)? {
    let address = mmap(nil, size, protection, MAP_SHARED, descriptor, 0)
    guard let address, address != MAP_FAILED else { return nil }
    guard let mapping = cglibc_guard_page(address, size) else {
      munmap(address, size)
      return nil
    }
    return (address.bindMemory(to: UInt64.self, capacity: size / MemoryLayout<UInt64>.size), mapping)
  }

  private static func counter(at value: UInt64) -> UnsafeMutablePointer<UInt64> {
    let counter = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    counter.initialize(to: value)
    return counter
  }
}
