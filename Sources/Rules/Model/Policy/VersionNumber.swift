import Support

/// A version such as `14.8`, or a patch level such as `2021-10-05`. Missing parts are 0, so `14` equals `14.0`.
package struct VersionNumber: Sendable {
  /// The version as it was written.
  package let text: String
  private let parts: [UInt32]

  /// Reads one to eight numbers, separated by dots or by dashes; `nil` for any other text.
  package init?(_ text: String) {
    let separator: Character = text.contains("-") ? "-" : "."
    let parts = text.split(separator: separator, omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { $0.isDigit } ? UInt32(part) : nil
    }
    let numbers = parts.compactMap { $0 }
    guard numbers.count == parts.count, numbers.count <= 8 else { return nil }
    self.text = text
    self.parts = numbers
  }

  /// Whether all parts are 0, which means no rule.
  package var isZero: Bool { parts.allSatisfy { $0 == 0 } }

  private var significant: ArraySlice<UInt32> {
    parts[..<((parts.lastIndex { $0 != 0 } ?? -1) + 1)]
  }
}

extension VersionNumber: Comparable, Hashable {
  package static func == (left: VersionNumber, right: VersionNumber) -> Bool { left.significant == right.significant }

  package static func < (left: VersionNumber, right: VersionNumber) -> Bool {
    left.significant.lexicographicallyPrecedes(right.significant)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(significant) }
}

extension VersionNumber: CustomStringConvertible {
  package var description: String { text }
}
