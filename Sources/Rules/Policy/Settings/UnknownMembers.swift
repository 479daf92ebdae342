import JSON
import Model

/// Members of a policy that mambridge does not know.
enum UnknownMembers {
  /// What the portal writes beside settings, which say the same.
  private static let virtualNames: Set<String> = [
    "periodBeforePinResetRequired", "pinRequiredInsteadOfBiometric", "shareWithBrowserVirtualSetting",
  ]

  /// The members that describe a policy, which may be spelled in another case, in lower case.
  private static let descriptions = Set(
    SettingDefinition.all.filter(\.role.isDescription).map(\.name.rawValue.lowercasedASCII))

  /// Whether the member is no setting: an annotation or an action of OData, a time, or what the portal notes.
  static func isInformation(_ name: String) -> Bool {
    name.contains("@") || name.hasPrefix("#") || name.hasSuffix("DateTime") || virtualNames.contains(name)
  }

  /// Whether the value may restrict. A member that allows something restricts with the opposite value.
  static func mayRestrict(_ name: String, _ value: JSONValue) -> Bool {
    if descriptions.contains(name.lowercasedASCII) { return false }
    if let flag = value.spelledFlag, name.hasPrefix("allow") || name.hasSuffix("Allowed") { return !flag }
    return !value.isNeutral
  }

  /// Why the member has no effect: a predicate.
  static func complaint(_ member: JSONObject.Member) -> String {
    let hint = SettingName.allCases.map(\.rawValue).nearest(to: member.name).map { "; did you mean \($0)?" } ?? ""
    guard mayRestrict(member.name, member.value) else { return "is not known and is ignored" + hint }
    return "is not known, so its value \(member.value.shortText) has no effect, although it may restrict" + hint
  }
}

extension JSONValue {
  /// The words of Graph's enumerations that restrict nothing, in lower case, and those that stand for "not set". Not
  /// `none`, which restricts in some enumerations.
  private static let neutralWords: Set<String> = [
    "", "false", "no", "notconfigured", "not_configured", "notset", "not_set", "unset", "unspecified", "default",
    "allow", "allowed", "allowall", "all", "allapps", "anyapp", "any", "notblocked", "notrequired", "not_required",
    "unrestricted", "anydestinationanysource", "usedevicesettings", "unknownfuturevalue",
  ]

  /// Whether a setting with this value restricts nothing: it is not set, empty, zero, or a word that says so.
  fileprivate var isNeutral: Bool {
    switch self {
    case .null: true
    case .bool(let flag): !flag
    case .integer(let number): number == 0
    case .number(let number): number == 0
    case .string(let text): text.trimmedASCII.isNeutral
    case .array(let elements): elements.allSatisfy(\.isNeutral)
    case .object(let object): object.members.allSatisfy { $0.value.isNeutral }
    }
  }

  fileprivate static func isNeutralWord(_ word: String) -> Bool { neutralWords.contains(word.lowercasedASCII) }
}

extension String {
  /// A version, a date or a length of time of zeros only also means "not set".
  fileprivate var isNeutral: Bool {
    JSONValue.isNeutralWord(self) || VersionNumber(self)?.isZero == true || ISODuration(self)?.seconds == 0
  }
}
