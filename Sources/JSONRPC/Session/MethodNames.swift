import Glibc

/// The names of methods that were called lately: a name of more than 15 bytes costs an allocation when it is built.
struct MethodNames {
  private static let slotCount = 64
  /// Shorter names are built for nothing, longer ones are no names of methods.
  private static let kept = 16...96

  private var slots = [String](repeating: "", count: slotCount)

  mutating func name(_ span: StringSpan, in message: UnsafeBufferPointer<UInt8>) -> String {
    let bytes = message.part(span.content)
    guard !span.hasEscapes, Self.kept.contains(bytes.count) else { return span.text(in: message) }
    let slot = Self.slot(of: bytes)
    if slots[slot].isEqual(to: bytes) { return slots[slot] }
    slots[slot] = String(decoding: bytes, as: UTF8.self)
    return slots[slot]
  }

  /// By length and last eight bytes: names differ at their ends.
  private static func slot(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let tail = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
    let mixed = (tail ^ UInt64(bytes.count)) &* 0x9E37_79B9_7F4A_7C15
    return Int(mixed &>> 32) & (slotCount &- 1)
  }
}

extension String {
  fileprivate func isEqual(to bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    utf8.withContiguousStorageIfAvailable { own in
      guard let own = own.baseAddress, let other = bytes.baseAddress else { return bytes.isEmpty }
      return utf8.count == bytes.count && memcmp(own, other, bytes.count) == 0
    } ?? false
  }
}
