import COpenSSL

/// OpenSSL's generators; they seed themselves again after a fork.
package enum Random {
  package static func fill(_ bytes: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try fill(bytes, with: RAND_bytes)
  }

  /// From the generator whose output is never shown to anybody.
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
