import JSON

/// A setting in force, in both vocabularies, and where it comes from.
public struct PolicySettingReport: Hashable, Sendable {
  /// As Microsoft Graph writes it.
  public var value: JSONValue
  /// Nil where the SDK has no name for it.
  public var sdkName: String?
  public var sdkValue: JSONValue
  public var policyId: String

  public init(value: JSONValue, sdkName: String?, sdkValue: JSONValue, policyId: String) {
    self.value = value
    self.sdkName = sdkName
    self.sdkValue = sdkValue
    self.policyId = policyId
  }
}

extension PolicySettingReport: Record {
  package static let schemaName: String? = "PolicySetting"
  package static let fields = Fields(
    Self.init(value:sdkName:sdkValue:policyId:),
    Field("value", \.value, "As Microsoft Graph writes it."),
    Field("sdkName", \.sdkName, "The name that the SDK delivers and logs; null where it has none."),
    Field("sdkValue", \.sdkValue, "In the SDK's form and with its numbers; null where it has none."),
    Field("policyId", \.policyId, "The policy it comes from; of a merged value the first that sets it."))
}
