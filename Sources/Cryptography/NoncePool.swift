import Glibc

/// Gives nonces that nobody has seen. Any thread may ask.
package protocol NonceSource: Sendable {
  /// Writes one; the buffer takes 12 bytes.
  func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError)
}

/// Random nonces, drawn from the generator many at a time. A forked child makes its own. Any thread may ask.
package final class NoncePool: NonceSource, @unchecked Sendable {  // the mutex guards `stock` and what follows it
  package static let nonceLength = 12
  private static let stockLength = 256 * nonceLength

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let stock: UnsafeMutableRawBufferPointer
  private var used = stockLength
  private var process = ProcessMark.current

  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    stock = .allocate(byteCount: Self.stockLength, alignment: 1)
  }

  deinit {
    stock.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    guard nonce.count == Self.nonceLength else { throw CryptographyError(.wrongLength, in: "NoncePool") }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if used == stock.count || process != ProcessMark.current { try refill() }
    nonce.copyMemory(from: UnsafeRawBufferPointer(rebasing: stock[used..<used + Self.nonceLength]))
    used += Self.nonceLength
  }

  package func next() throws(CryptographyError) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: Self.nonceLength)
    try nonce.withUnsafeMutableBufferPointer { bytes throws(CryptographyError) in
      try next(into: UnsafeMutableRawBufferPointer(bytes))
    }
    return nonce
  }

  private func refill() throws(CryptographyError) {
    used = stock.count
    try Random.fill(stock)
    process = ProcessMark.current
    used = 0
  }
}
