import Cryptography
import Support

/// The bytes of hexadecimal digits; spaces are for the eye.
func hex(_ digits: String) -> [UInt8] { Hex.decode(digits.filter { $0 != " " }) ?? [] }

/// What `body` throws, if it is one of ours.
func reason(_ body: () throws -> Void) -> CryptographyError.Reason? {
  do {
    try body()
    return nil
  } catch {
    return (error as? CryptographyError)?.reason
  }
}

extension SecretBytes {
  /// For comparison with published vectors only.
  var published: [UInt8] { withUnsafeBytes { Array($0) } }

  convenience init(_ bytes: [UInt8]) throws {
    try self.init(capacity: bytes.count) { target in
      target.copyBytes(from: bytes)
      return bytes.count
    }
  }
}
