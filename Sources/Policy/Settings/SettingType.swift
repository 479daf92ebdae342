import Model

/// What kind of value a setting holds.
public enum SettingType: Sendable {
  case bool
  case integer(ClosedRange<Int64>)
  /// A length of time.
  case duration
  case string
  /// A word of an enumeration.
  case word(any GraphEnum.Type)
  /// Words of an enumeration. Graph lists them; with `joined` they are one text with commas, or added numbers.
  case words(any GraphEnum.Type, joined: Bool)
  case version
  /// Texts. Graph lists them, or joins them with this separator.
  case strings(joinedBy: Character?)
  case pairs
  /// A moment, or what else only describes a policy: kept as it is.
  case opaque
}
