import CGlibc
import Glibc
import Model
import Support

/// A counter shared by all processes on one state folder. It is raised after every commit to keys or state, so one
/// atomic load shows whether cached data is still valid.
///
/// If the mapped file is truncated, a plain access would kill the process (SIGBUS). Instead the counter is lost and
/// reads 0, and the process that notices opens the page again. A new counter starts from the time, so it is never
/// behind a lost one.
package final class EpochPage: @unchecked Sendable {  // the page is only used through atomic operations
  private static let size = 4096
  private let page: UnsafeMutablePointer<UInt64>
  /// `nil` for a counter in this process's memory, used if there is no file to read.
  private let mapping: OpaquePointer?
  /// The counter when the page was opened. It only falls below this value if the file is truncated.
  private let first: UInt64
  /// For a read-only page, the number of times that this process has raised the counter.
  private let own: UnsafeMutablePointer<UInt64>?

  package init(path: String) throws(MAMError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    // Allocate the block: on a full disk, the first access to a hole would be SIGBUS.
    let failure = posix_fallocate(descriptor, 0, off_t(Self.size))
    guard failure == 0 else { throw .cannotUse(path, failure) }
    guard let (page, mapping) = Self.map(descriptor, PROT_READ | PROT_WRITE) else { throw .cannotUse(path, errno) }
    (self.page, self.mapping, own) = (page, mapping, nil)
    cglibc_atomic_begin(page, UInt64(clamping: SystemClock().now.milliseconds) << 20)
    first = cglibc_atomic_load(page)
  }

  /// For a read-only state. Sees changes by others as long as the file exists; a missing file is not an error.
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

  /// Whether the file was truncated and the counter lost.
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
