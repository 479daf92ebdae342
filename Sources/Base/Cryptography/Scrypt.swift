import COpenSSL

/// Derives keys from passphrases and PINs (RFC 7914).
package enum Scrypt {
  package struct Parameters: Sendable, Equatable {
    /// N, a power of two. The memory is 128 · N · r bytes.
    package var cost: UInt64
    /// `r` of RFC 7914: the size of a block is 128 · r bytes.
    package var blockSize: UInt64
    /// `p` of RFC 7914: how many mixings could run side by side.
    package var parallelism: UInt64

    package init(cost: UInt64, blockSize: UInt64, parallelism: UInt64) {
      self.cost = cost
      self.blockSize = blockSize
      self.parallelism = parallelism
    }

    /// For PINs: N = 2^15, r = 8, p = 1; 32 MiB and about 100 ms.
    package static let standard = Parameters(cost: 1 << 15, blockSize: 8, parallelism: 1)
    /// For passphrases: N = 2^17, r = 8, p = 1; 128 MiB and about 600 ms.
    package static let passphrase = Parameters(cost: 1 << 17, blockSize: 8, parallelism: 1)
  }

  package static let saltLength = 32
  /// Parameters from a damaged file must not exhaust the machine.
  private static let memoryLimit: UInt64 = 160 << 20

  /// Throws `invalidParameters` if more than 160 MiB are needed. Slow, so do not run it on a thread that others wait
  /// for.
  package static func derive(
    _ passphrase: some ByteSource, salt: some ByteSource, parameters: Parameters = .standard, count: Int
  ) throws(CryptographyError) -> SecretBytes {
    Library.start()
    return try SecretBytes(capacity: count) { key throws(CryptographyError) in
      try passphrase.withRawBytes { passphrase throws(CryptographyError) in
        try salt.withRawBytes { salt throws(CryptographyError) in try fill(key, passphrase, salt, parameters) }
      }
      return key.count
    }
  }

  private static func fill(
    _ key: UnsafeMutableRawBufferPointer, _ passphrase: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer,
    _ parameters: Parameters
  ) throws(CryptographyError) {
    try require(!key.isEmpty, "Scrypt")
    let status = EVP_PBE_scrypt(
      passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), passphrase.count, salt.octets, salt.count,
      parameters.cost, parameters.blockSize, parameters.parallelism, memoryLimit, key.octets, key.count)
    guard status != 1 else { return }
    let error = libraryError("Scrypt")
    throw error.reason == .outOfMemory
      ? error : CryptographyError(.invalidParameters, in: "Scrypt", detail: error.detail)
  }
}
