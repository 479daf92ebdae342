import Cryptography

/// A wrapped key in a file of one page: a header, which is the associated data; a nonce of 12 bytes; 32 bytes of
/// ciphertext; a tag of 16 bytes; zeros. The header begins with the magic, version 1, the kind of page and suite 1.
enum KeyPage {
  enum Kind: UInt8 { case store = 1, identity = 2 }

  static let size = 4096
  static let keyLength = 32
  static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x4B, 0x0D, 0x0A, 0x1A]
  private static let sealedLength = keyLength + AESGCM.tagLength

  static func start(_ kind: Kind) -> [UInt8] { magic + [1, kind.rawValue, 1] }

  static func seal(
    _ key: SecretBytes, under wrapping: SecretBytes, header: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    let nonce = try Random.bytes(AESGCM.nonceLength)
    var page = header + nonce
    page += try AESGCM.seal(key, key: wrapping, nonce: nonce, associatedData: header)
    page += [UInt8](repeating: 0, count: size - page.count)
    return page
  }

  /// `nil` if the tag is wrong: the wrapping key is another one, or the page is damaged.
  static func open(
    _ page: [UInt8], headerLength: Int, under wrapping: SecretBytes
  ) throws(CryptographyError) -> SecretBytes? {
    let sealed = headerLength + AESGCM.nonceLength
    do throws(CryptographyError) {
      return try AESGCM.openSecret(
        page[sealed..<sealed + sealedLength], key: wrapping, nonce: page[headerLength..<sealed],
        associatedData: page[..<headerLength])
    } catch {
      guard error.reason == .authenticationFailed else { throw error }
      return nil
    }
  }

  /// Lets `body` read the header after its start; `nil` if the page is not of this kind.
  static func parse<Header>(
    _ page: [UInt8], _ kind: Kind, headerLength: Int, _ body: (inout BigEndianReader) -> Header?
  ) -> Header? {
    let end = headerLength + AESGCM.nonceLength + sealedLength
    guard page.count == size, page[end...].allSatisfy({ $0 == 0 }) else { return nil }
    return page.withUnsafeBytes { bytes in
      var reader = BigEndianReader(bytes)
      return reader.takes(start(kind)) ? body(&reader) : nil
    }
  }
}
