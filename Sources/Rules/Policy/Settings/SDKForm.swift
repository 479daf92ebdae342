import JSON
import Model

/// The name and the form in which the SDK delivers and logs a setting.
package struct SDKForm: Sendable {
  package enum Form: Sendable {
    /// Booleans, numbers and texts are unchanged, words are the SDK's numbers, lists of words are bits.
    case plain
    /// A boolean that means the opposite.
    case inverted
    case seconds
    case minutes
    case days
    /// Several texts in one, separated by this character.
    case joined(Character)
  }

  /// The first name is shown; the others are only read. ASCII case does not matter.
  package private(set) var names: [String]
  package let form: Form
  /// The forms of names that have a form of their own, by the name in lower case.
  private var otherForms: [String: Form] = [:]

  private init(_ names: [String], _ form: Form) {
    (self.names, self.form) = (names, form)
  }

  package func form(of name: String) -> Form { otherForms[name.lowercasedASCII] ?? form }

  static func plain(_ name: String) -> SDKForm { SDKForm([name], .plain) }
  static func inverted(_ names: String...) -> SDKForm { SDKForm(names, .inverted) }
  static func minutes(_ names: String...) -> SDKForm { SDKForm(names, .minutes) }
  static func days(_ names: String...) -> SDKForm { SDKForm(names, .days) }
  static func joined(_ separator: Character, _ names: String...) -> SDKForm { SDKForm(names, .joined(separator)) }

  /// Adds the name and form that Android devices use.
  func android(_ name: String, _ form: Form = .plain) -> SDKForm {
    var both = self
    both.names.append(name)
    both.otherForms[name.lowercasedASCII] = form
    return both
  }
}

/// A string literal is a name with the plain form.
extension SDKForm: ExpressibleByStringLiteral {
  package init(stringLiteral name: String) { self.init([name], .plain) }
}

/// Reads and writes settings with the names and numbers that the SDK delivers and logs.
extension SettingDefinition {
  /// `name` is the name of the member, because some names have a form of their own.
  func read(sdk value: JSONValue, as name: String = "") -> SettingReading {
    guard let form = sdk?.form(of: name), !value.isNull, value != "" else { return .unset }
    switch (type, form) {
    case (.bool, .inverted): return read(flag: value).inverted
    case (.bool, _): return read(flag: value)
    case (.integer(let range), _): return read(integer: value, range)
    case (.duration, .days): return read(units: value, of: 86_400)
    case (.duration, .seconds): return read(units: value, of: 1)
    case (.duration, _): return read(units: value, of: 60)
    case (.word(let type), _):
      if let word = type.word(sdk: value) { return .of(.word(word)) }
      let isUnset = type == RemediationAction.self && value.stringValue?.lowercasedASCII == "none"
      return isUnset ? .unset : .misfit(value, "must be the SDK's number for one of \(type.wordList)")
    case (.words(let type, _), _):
      guard let bits = value.intValue, bits >= 0 else { return .misfit(value, "must be a sum of the SDK's bits") }
      return .words(type.words(sdkBits: bits), of: value)
    case (.version, _): return read(version: value)
    case (.strings(_, let mayBeEmpty), .joined(let separator)):
      return value.stringValue.map { .strings($0, separator, mayBeEmpty: mayBeEmpty) } ?? read(graph: value)
    case (.pairs, _):
      return value.stringValue.map { .of(.pairs([KeyValuePair(name: "Default", value: $0)])) } ?? read(graph: value)
    default: return read(graph: value)
    }
  }

  /// Null if the SDK has no form of this value.
  package func write(sdk value: SettingValue) -> JSONValue {
    guard let form = sdk?.form else { return .null }
    switch (value, type, form) {
    case (.bool(let flag), _, .inverted): return .bool(!flag)
    case (.duration(let duration), _, .days): return .amount(duration.seconds, of: 86_400)
    case (.duration(let duration), _, _): return .amount(duration.seconds, of: 60)
    case (.word(let word), .word(let type), _):
      return type.sdkNumber(of: word).map { .integer(Int64($0)) } ?? .null
    case (.words(let words), .words(let type, _), _):
      return .integer(Int64(words.compactMap(type.sdkNumber(of:)).reduce(0, |)))
    case (.strings(let texts), _, .joined(let separator)): return .string(texts.joined(separator))
    case (.pairs(let pairs), _, .joined(let separator)):
      return .string(pairs.map(\.value).joined(separator: String(separator)))
    default: return write(graph: value)
    }
  }

  /// On devices, a negative amount means that the setting is not set.
  private func read(units value: JSONValue, of seconds: Int64) -> SettingReading {
    guard let amount = value.intValue else { return .misfit(value, "must be a whole number") }
    guard amount >= 0 else { return .unset }
    let (product, overflow) = Int64(amount).multipliedReportingOverflow(by: seconds)
    return overflow
      ? .misfit(value, "must be at most \(Int64.max / seconds)") : .of(.duration(ISODuration(seconds: product)))
  }
}

extension GraphEnum {
  /// Reads the SDK's number, which may be text or a boolean, or a word of Android devices or of Graph.
  package static func word(sdk value: JSONValue) -> String? {
    if let flag = value.boolValue { return word(sdkNumber: flag ? 1 : 0) }
    if let number = value.intValue { return word(sdkNumber: number) }
    return value.stringValue.flatMap { sdkWords[$0.lowercasedASCII]?.rawValue ?? word($0) }
  }
}

extension SettingReading {
  fileprivate var inverted: SettingReading {
    guard case .bool(let flag) = value else { return self }
    return .of(.bool(!flag))
  }
}

extension JSONValue {
  /// A whole number of units if the amount allows it, else a fraction.
  fileprivate static func amount(_ seconds: Int64, of unit: Int64) -> JSONValue {
    seconds % unit == 0 ? .integer(seconds / unit) : .number(Double(seconds) / Double(unit))
  }
}

/// What devices store beside settings. It is read without a warning and has no effect.
package enum SDKInformation {
  /// As devices spell them. `RequireFileEncryption` is documented as not actively used.
  package static let names = [
    "NonBioPassTimeOutRequired", "ClipboardEncryptionEnabled", "DisableShareSense", "RequireFileEncryption",
    "IntuneIdentityUPN", "MTDAppFriendlyName", "MTDAppLaunchUrl", "MTDAppStoreUrl", "IsMTDAppEnabledForWPJ",
    "WPJReplicationDelay", "DisableAria", "ADALTenantId", "QuickLookBlockedOverride", "ManagedBrowserURLListMode",
    "UsePPE", "ContainerName", "MinSecurityPatchVersionWarn", "MaxSecurityPatchVersionWarn", "IntuneMAMPolicyVersion",
    "policyTemplateVersion", "useEnterpriseClipboard", "managedPackageList", "allowedBrowserType",
    "secureBrowserUrlListMode", "secureBrowserUrlList",
  ]

  private static let keys = Set(names.map(\.lowercasedASCII))

  static func isName(_ text: String) -> Bool { keys.contains(text.lowercasedASCII) }
}
