import COpenSSL
import Glibc

/// Memory that is locked in RAM, excluded from core dumps, and cleared before it is freed.
///
/// Comes from OpenSSL's secure heap, created at the first use; when our half of it is full, and for large sizes, from
/// separate pages. Not malloc and mlock, because unlocking would also unlock a neighbor on the same page. Beyond the
/// limit for locked memory, pages stay unlocked.
struct SecretMemory {
  /// Older systems let an ordinary user lock at most 64 KiB.
  private static let heapSize = 1 << 16
  /// Enough for a thousand keys. The other half stays free: OpenSSL's random generators take their seeds from this
  /// heap, and fail if it is full.
  private static let ownShare = heapSize / 2
  private static let largest = 1 << 10
  private static let smallest = 32
  private static let hasHeap: Bool = {
    Library.start()
    return CRYPTO_secure_malloc_init(heapSize, smallest) != 0
  }()

  let address: UnsafeMutableRawPointer
  private let isOnHeap: Bool
  private let size: Int

  /// Zeros.
  init(count: Int) throws(CryptographyError) {
    size = max(1, count)
    if Self.hasRoom(size), let address = CRYPTO_secure_zalloc(size, #file, #line) {
      self.address = address
      isOnHeap = true
    } else {
      ERR_clear_error()
      address = try mapPages(size)
      isOnHeap = false
    }
  }

  /// Two threads may both see the last free room; the reserve covers that.
  private static func hasRoom(_ size: Int) -> Bool {
    size <= largest && hasHeap && CRYPTO_secure_used() + size <= ownShare
  }

  func release() {
    guard !isOnHeap else { return CRYPTO_secure_clear_free(address, size, #file, #line) }
    OPENSSL_cleanse(address, size)
    munmap(address, size)
  }
}

private func mapPages(_ size: Int) throws(CryptographyError) -> UnsafeMutableRawPointer {
  let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  guard let address, address != MAP_FAILED else { throw CryptographyError(.outOfMemory, in: "SecretMemory") }
  mlock(address, size)
  madvise(address, size, MADV_DONTDUMP)
  return address
}
