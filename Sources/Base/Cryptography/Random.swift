import CGlibc
import COpenSSL
import Glibc

/// OpenSSL's generators, which reseed themselves after a fork.
package enum Random {
  /// The version of OpenSSL that this process runs with.
  package static var libraryVersion: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }

  /// The version of zstd, which libcrypto of some systems uses; `nil` if it is not linked.
  package static var zstdVersion: String? { copenssl_zstd_version().map { String(cString: $0) } }

  package static func fill(_ bytes: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try fill(bytes, with: RAND_bytes)
  }

  /// Uses the generator whose output is never revealed.
  package static func fillSecret(_ bytes: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try fill(bytes, with: RAND_priv_bytes)
  }

  package static func bytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBufferPointer { bytes throws(CryptographyError) in
      try fill(UnsafeMutableRawBufferPointer(bytes))
    }
    return bytes
  }

  private static func fill(
    _ bytes: UnsafeMutableRawBufferPointer, with generator: (UnsafeMutablePointer<UInt8>?, Int32) -> Int32
  ) throws(CryptographyError) {
    Library.start()
    var done = 0
    while done < bytes.count {
      let part = UnsafeMutableRawBufferPointer(rebasing: bytes[done..<min(bytes.count, done + 1 << 30)])
      try check(generator(part.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(part.count)), "Random")
      done += part.count
    }
  }
}

/// Provides nonces that were never used. Safe to call from any thread.
package protocol NonceSource: Sendable {
  /// Writes a nonce into the 12-byte buffer.
  func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError)
}

/// Random nonces for seals that follow immediately, drawn from the system with one call.
///
/// Nonces are never drawn in advance or kept: a resumed copy of this process's memory would use the same ones.
package struct NonceBatch {
  package static let nonceLength = 12
  private var bytes: [UInt8]
  private var used = 0

  package init(count: Int) throws(CryptographyError) {
    bytes = [UInt8](repeating: 0, count: count * Self.nonceLength)
    try bytes.withUnsafeMutableBufferPointer { bytes throws(CryptographyError) in
      try SystemRandom.fill(UnsafeMutableRawBufferPointer(bytes))
    }
  }

  /// Returns each nonce once. Throws when there are no more.
  package mutating func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    let end = used + Self.nonceLength
    guard nonce.count == Self.nonceLength, end <= bytes.count else {
      throw CryptographyError(.wrongLength, in: "NonceBatch")
    }
    nonce.copyBytes(from: bytes[used..<end])
    used = end
  }
}

/// Random nonces, each drawn from the system when needed.
package struct SystemNonces: NonceSource {
  package init() {}

  package func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try SystemRandom.fill(nonce)
  }
}

/// The kernel's generator, which has no state in this process that a fork or a copy of its memory could share.
package enum SystemRandom {
  package static func fill(_ bytes: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    var done = 0
    while done < bytes.count {
      let count = cglibc_random(bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw CryptographyError(.library, in: "SystemRandom", detail: "getrandom failed") }
      done += count
    }
  }
}

/// The process id without a system call, for state that a forked child must not share with its parent.
package enum ProcessMark {
  /// Holds the process id; the system clears the page in a child.
  private final class Page: @unchecked Sendable {  // the word is only used through atomic operations
    private static let size = 4096
    /// `nil` if the system does not clear pages.
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
