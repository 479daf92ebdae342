import JSON

/// A setting: its name in Info.plist (or of the property, where there is only that), its type and its meaning.
public struct SettingKey: Hashable, Sendable {
  public enum Effect: String, Sendable {
    /// Decides something here, or in the host, which reads it.
    case acts
    /// Means something on iOS only; kept and shown.
    case iosOnly
  }

  public let name: String
  public let type: SettingForm
  /// What holds without a value; null when nothing does.
  public let defaultValue: JSONValue
  public let effect: Effect
  /// The name of the SDK's property; nil where there is none.
  public let property: String?
  public let meaning: String

  init(
    _ name: String, _ type: SettingForm, default defaultValue: JSONValue = .null, iosOnly: Bool = false,
    isProperty: Bool = false, _ meaning: String
  ) {
    self.name = name
    self.type = type
    self.defaultValue = defaultValue
    effect = iosOnly ? .iosOnly : .acts
    property = isProperty ? name.prefix(1).lowercased() + name.dropFirst() : nil
    self.meaning = meaning
  }

  public static func == (left: SettingKey, right: SettingKey) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension SettingKey {
  /// Every key there is, in the order in which the SDK documents them; those that are only properties last.
  public static let all: [SettingKey] = authentication + enrollment + appearance + behavior + diagnosis + properties

  /// By the name in Info.plist or the property's, which differ in the case of the first letter; nil when unknown.
  public init?(named name: String) {
    guard let key = Self.byName[name.withCapitalFirstLetter] else { return nil }
    self = key
  }

  private static let byName: [String: SettingKey] = Dictionary(
    all.map { ($0.name.withCapitalFirstLetter, $0) }, uniquingKeysWith: { first, _ in first })
}

extension String {
  fileprivate var withCapitalFirstLetter: String { prefix(1).uppercased() + dropFirst() }
}
