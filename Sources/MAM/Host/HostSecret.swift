import Cryptography
import Policy

/// A PIN or a token of the host, in memory that is cleared at its end. Has no text of its own, so that it cannot get
/// into a log.
public struct HostSecret: Equatable, Sendable {
  package let bytes: SecretBytes

  /// Nil when the system has no memory for it.
  public init?(_ text: String) {
    var text = text
    guard let secret = text.withUTF8({ HostSecret(copying: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = secret
  }

  /// As above, from text in UTF-8 that its owner clears.
  package init?(copying bytes: UnsafeRawBufferPointer) {
    guard let bytes = try? SecretBytes(copying: bytes) else { return nil }
    self.bytes = bytes
  }

  package var isEmpty: Bool { bytes.count == 0 }
}

extension HostSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "HostSecret" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PINTraits {
  init(_ pin: HostSecret) { self = pin.bytes.withUnsafeBytes(PINTraits.init(utf8:)) }
}
