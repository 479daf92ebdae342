import COpenSSL
import Glibc

/// Memory that is locked in RAM, left out of core dumps, and cleared when it is given back.
///
/// From OpenSSL's secure heap, made at the first use; once that is full, pages of their own. Not malloc and mlock:
/// unlocking would unlock a neighbour on the same page. Where the limit of locked memory is reached, pages stay unlocked.
struct SecretMemory {
  /// Room for about two thousand keys. At most 64 KiB may be locked by an ordinary user on older systems.
  private static let heapSize = 1 << 16
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
    if Self.hasHeap, let address = CRYPTO_secure_zalloc(size, #file, #line) {
      self.address = address
      isOnHeap = true
    } else {
      ERR_clear_error()
      address = try mapPages(size)
      isOnHeap = false
    }
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
