import CGlibc
import Glibc

/// Gives nonces that nobody has seen. Any thread may ask.
package protocol NonceSource: Sendable {
  /// Writes one; the buffer takes 12 bytes.
  func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError)
}

/// Random nonces for seals that follow at once, drawn from the system by one call.
///
/// None is drawn ahead of the work that needs it, and none is kept: a store of nonces would give the same ones in every
/// process that goes on from a copy of this one's memory.
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

  /// Each once. Throws when there are no more.
  package mutating func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    let end = used + Self.nonceLength
    guard nonce.count == Self.nonceLength, end <= bytes.count else {
      throw CryptographyError(.wrongLength, in: "NonceBatch")
    }
    nonce.copyBytes(from: bytes[used..<end])
    used = end
  }
}

/// Random nonces, each drawn from the system when it is wanted.
package struct SystemNonces: NonceSource {
  package init() {}

  package func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try SystemRandom.fill(nonce)
  }
}

/// The kernel's generator: it keeps no state in this process that a fork, or a copy of the memory, could share.
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
