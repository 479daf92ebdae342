import JSON

/// Where the value of a setting comes from. A later origin takes precedence.
package enum SettingOrigin: String, CaseIterable, Hashable, Sendable, NamedValue {
  case defaults = "default"
  case file, flag, override
}

/// A setting in force: its value, origin and meaning.
package struct SettingReport: Hashable, Sendable {
  package var value: JSONValue
  package var origin: SettingOrigin
  package var defaultValue: JSONValue
  package var type: SettingForm
  package var property: String?
  package var iosOnly: Bool
  package var meaning: String

  package init(_ key: SettingKey, value: JSONValue, origin: SettingOrigin) {
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
  package static let schemaName = "Setting"
  package static let fields = Fields(
    Self.init(value:origin:defaultValue:type:property:iosOnly:meaning:),
    Field("value", \.value, "The value in force; null if there is none."),
    Field(
      "source", \.origin, "Where the value comes from. Of several origins, the last in this list takes precedence."),
    Field("default", \.defaultValue, "The value if nobody sets one; null if there is none."),
    Field("type", \.type, "The type of the value."),
    Field("property", \.property, "The name of the SDK's property; null if there is none."),
    Field(
      "iosOnly", \.iosOnly,
      "Whether the setting has a meaning only on iOS. It is then kept and shown, but decides nothing."),
    Field("meaning", \.meaning, "What the setting decides."))
}
