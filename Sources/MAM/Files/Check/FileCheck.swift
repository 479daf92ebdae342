import Model

/// What of a file can be read, and what cannot.
package struct FileCheck: Sendable {
  package let path: String
  package let isEncrypted: Bool
  /// Of the plain text; without its record, of all pages together.
  package let length: UInt64
  /// How many bytes of the plain text are whole.
  package let readable: UInt64
  /// In the order of the text. Neighbouring pages are told together.
  package let damage: [FileDamage]
  /// Bytes behind the last page. They do not count, and are no damage: a killed write leaves some.
  package let tail: Int

  /// Reads an encrypted file whole. Nothing tells whether a plain one is as it was.
  init(_ survey: FileSurvey) throws(MAMError) {
    var (survey, readable) = (survey, UInt64(0))
    var damage: [FileDamage] = survey.hasLostRecord ? [.record] : []
    while survey.isEncrypted, let piece = try survey.next() {
      switch piece {
      case .whole(let bytes): readable += UInt64(bytes.count)
      case .lost(let lost): damage.add(lost)
      }
    }
    (path, isEncrypted, length) = (survey.path, survey.isEncrypted, survey.length)
    self.readable = survey.isEncrypted ? readable : survey.length
    self.damage = damage
    tail = survey.tail
  }
}

extension [FileDamage] {
  fileprivate mutating func add(_ next: FileDamage) {
    if let joined = last?.joined(with: next) { self[count - 1] = joined } else { append(next) }
  }
}
