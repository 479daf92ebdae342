import COpenSSL

package enum SHA256 {
  package static let length = 32

  /// The digest takes 32 bytes.
  package static func digest(
    _ message: UnsafeRawBufferPointer, into digest: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    try require(digest.count == length, "SHA256")
    try check(EVP_Digest(message.baseAddress, message.count, digest.octets, nil, Library.sha256(), nil), "SHA256")
  }

  package static func digest(_ message: some ByteSource) throws(CryptographyError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: length)
    try result.withUnsafeMutableBufferPointer { result throws(CryptographyError) in
      try message.withRawBytes { message throws(CryptographyError) in
        try digest(message, into: UnsafeMutableRawBufferPointer(result))
      }
    }
    return result
  }
}
