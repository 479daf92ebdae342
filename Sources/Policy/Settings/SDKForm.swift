/// Under which name and in which form the SDK delivers and logs a setting.
public struct SDKForm: Sendable {
  public enum Form: Sendable {
    /// Booleans, numbers and texts as they are, words by the SDK's number, lists of words as bits.
    case plain
    /// A boolean that means the opposite.
    case inverted
    case seconds
    case minutes
    case days
    /// Texts in one, between these.
    case joined(Character)
  }

  /// The first is the one that is shown; the others are read too. ASCII case does not matter.
  public private(set) var names: [String]
  public let form: Form
  /// Of names whose form is another one, in lower case.
  private var otherForms: [String: Form] = [:]

  private init(_ names: [String], _ form: Form) {
    (self.names, self.form) = (names, form)
  }

  package func form(of name: String) -> Form { otherForms[name.lowercasedASCII] ?? form }

  static func plain(_ names: String...) -> SDKForm { SDKForm(names, .plain) }
  static func inverted(_ names: String...) -> SDKForm { SDKForm(names, .inverted) }
  static func minutes(_ names: String...) -> SDKForm { SDKForm(names, .minutes) }
  static func days(_ names: String...) -> SDKForm { SDKForm(names, .days) }
  static func joined(_ separator: Character, _ names: String...) -> SDKForm { SDKForm(names, .joined(separator)) }

  /// What a device with Android calls it.
  func android(_ name: String, _ form: Form = .plain) -> SDKForm {
    var both = self
    both.names.append(name)
    both.otherForms[name.lowercasedASCII] = form
    return both
  }
}
