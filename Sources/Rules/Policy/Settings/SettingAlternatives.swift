import Model

/// The values that a search for another answer tries.
extension SettingDefinition {
  /// Other values of the setting, in the order of its row: for a list, one more and one less of what it may contain; for
  /// a number, the ends of its range. Only values that a policy for the platform can have. Empty if the row does not name
  /// its values, as for texts and versions. That the setting is not set is not among them.
  package func alternatives(to value: SettingValue?, on platform: DevicePlatform) -> [SettingValue] {
    let choices: [SettingValue] =
      switch type {
      case .bool: [.bool(true), .bool(false)]
      case .word(let type):
        (WindowsForm.words(of: name, on: platform)?.map(\.common)
          ?? type.words.filter { !WindowsForm.ownWords.contains($0) }).map { .word($0) }
      case .words(let type, _): lists(of: type.words, near: value)
      case .integer(let range): [.integer(range.lowerBound), .integer(range.upperBound)]
      case .duration, .string, .version, .strings, .pairs, .opaque: []
      }
    return choices.filter { $0 != value }
  }

  private func lists(of words: [String], near value: SettingValue?) -> [SettingValue] {
    guard case .words(let current) = value else { return words.map { .words([$0]) } }
    return words.map { word in
      .words(words.filter { current.contains($0) != ($0 == word) })
    }
  }
}
