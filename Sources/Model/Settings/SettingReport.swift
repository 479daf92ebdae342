import JSON

/// Where the value of a setting comes from; the later wins.
public enum SettingOrigin: String, CaseIterable, Hashable, Sendable, NamedValue {
  case defaults = "default"
  case file, flag, override
}

/// A setting in force, and what it is.
public struct SettingReport: Hashable, Sendable {
  public var value: JSONValue
  public var origin: SettingOrigin
  public var defaultValue: JSONValue
  public var type: SettingForm
  public var property: String?
  public var iosOnly: Bool
  public var meaning: String

  public init(_ key: SettingKey, value: JSONValue, origin: SettingOrigin) {
    self.init(
      value: value, origin: origin, defaultValue: key.defaultValue, type: key.type, property: key.property,
      iosOnly: key.isIOSOnly, meaning: key.meaning)
  }

  private init(
    value: JSONValue, origin: SettingOrigin, defaultValue: JSONValue, type: SettingForm, property: String?,
    iosOnly: Bool, meaning: String
  ) {
    self.value = value
    self.origin = origin
    self.defaultValue = defaultValue
    self.type = type
    self.property = property
    self.iosOnly = iosOnly
    self.meaning = meaning
  }
}

extension SettingReport: Record {
  package static let schemaName: String? = "Setting"
  package static let fields = Fields(
    Self.init(value:origin:defaultValue:type:property:iosOnly:meaning:),
    Field("value", \.value, "What is in force; null when nothing is."),
    Field("source", \.origin, "Where that comes from; of several, the last of this list wins."),
    Field("default", \.defaultValue, "What is in force where nobody says anything; null when nothing is."),
    Field("type", \.type, "What it holds."),
    Field("property", \.property, "The name of the SDK's property; null where there is none."),
    Field("iosOnly", \.iosOnly, "Whether it means something on iOS only: it is kept and shown, and decides nothing."),
    Field("meaning", \.meaning, "What it decides."))
}
