import FoundationEssentials
import Model

/// Texts travel as base64 of the same buffers.
extension DataProtection {
  package func protect(
    _ text: String, for owner: DataOwner, encrypting: Bool, forThisApp: Bool = false
  ) throws(MAMError) -> String {
    let buffer = try protect(Array(text.utf8), for: owner, encrypting: encrypting, forThisApp: forThisApp)
    return Data(buffer).base64EncodedString()
  }

  /// A text that is no base64 of a buffer comes back unchanged. Throws as for bytes, and 1103 when they hold no text.
  package func unprotect(_ text: String, canRead: (DataOwner) -> Bool) throws(MAMError) -> String {
    guard let bytes = buffer(in: text) else { return text }
    let payload = try unprotect(bytes, canRead: canRead)
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw MAMError(
        .failedToDecryptData, "the protected data is no text", hint: "Decode the base64 and unprotect it as data")
    }
    return text
  }

  package func owner(of text: String) throws(MAMError) -> DataOwner? {
    try buffer(in: text).map { bytes throws(MAMError) in try owner(of: bytes) } ?? nil
  }

  package func isEncrypted(_ text: String) throws(MAMError) -> Bool {
    guard let bytes = buffer(in: text) else { return false }
    return try isEncrypted(bytes)
  }

  /// As of bytes.
  func seal(of text: String) throws(MAMError) -> Seal {
    try buffer(in: text).map { bytes throws(MAMError) in try seal(of: bytes) } ?? .owned
  }

  /// The magic is nine bytes, so that its base64 is the same before any others. Empty text gives empty bytes.
  private func buffer(in text: String) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    guard text.hasPrefix("iU1BTUJVRg0K"), let bytes = Data(base64Encoded: text) else { return nil }
    // The decoder takes more padding than there is room for.
    return text.utf8.count == (bytes.count + 2) / 3 * 4 ? Array(bytes) : nil
  }
}
