/// Under which name and in which form the SDK delivers and logs a setting.
public struct SDKForm: Sendable {
  public enum Form: Sendable {
    /// Booleans, numbers and texts as they are, words by the SDK's number, lists of words as bits.
    case plain
    /// A boolean that means the opposite.
    case inverted
    case minutes
    case days
    /// Texts in one, between these.
    case joined(Character)
  }

  /// The first is the one that is shown; the others are read too. ASCII case does not matter.
  public let names: [String]
  public let form: Form

  static func plain(_ names: String...) -> SDKForm { SDKForm(names: names, form: .plain) }
  static func inverted(_ names: String...) -> SDKForm { SDKForm(names: names, form: .inverted) }
  static func minutes(_ names: String...) -> SDKForm { SDKForm(names: names, form: .minutes) }
  static func days(_ names: String...) -> SDKForm { SDKForm(names: names, form: .days) }
  static func joined(_ separator: Character, _ names: String...) -> SDKForm {
    SDKForm(names: names, form: .joined(separator))
  }
}
