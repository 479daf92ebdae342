import JSON

/// A member of a policy that mambridge does not know, with a value that may restrict.
package struct UnknownRestriction: Hashable, Sendable {
  /// The policy that has the member.
  package var policy: AppliedPolicy
  package var setting: String
  package var value: JSONValue
  /// Whether the tenant blocks accounts with such a policy.
  package var blocks: Bool
  /// What the policy sets and what becomes of it, as a sentence.
  package private(set) var text = ""

  package init(policy: AppliedPolicy, setting: String, value: JSONValue, blocks: Bool) {
    self.policy = policy
    self.setting = setting
    self.value = value
    self.blocks = blocks
    text = "\(cause), so \(blocks ? "access is blocked" : "it has no effect")."
  }

  /// The beginning of a sentence: which policy has which unknown member.
  package var cause: String {
    let name = policy.displayName.isEmpty || policy.displayName == policy.id ? policy.id : "\"\(policy.displayName)\""
    let written = value.jsonText
    let shown = written.count > 80 ? written.prefix(79) + "…" : written
    return "The policy \(name) sets \(setting) to \(shown), and this version of mambridge does not know that setting"
  }
}

extension UnknownRestriction: Record {
  package static let fields = Fields(
    Self.init(policyId:displayName:setting:value:blocks:text:),
    Field("policyId", \.policy.id, "The id of the policy."),
    Field("displayName", \.policy.displayName, "The name of the policy, for people."),
    Field("setting", \.setting, "The member that this version of mambridge does not know."),
    Field("value", \.value, "The value of the member."),
    Field("blocks", \.blocks, "Whether the tenant blocks accounts with such a policy (unknownRestrictions)."),
    Field("text", \.text, "What the policy sets and what becomes of it, as a sentence."))

  private init(policyId: String, displayName: String, setting: String, value: JSONValue, blocks: Bool, text: String) {
    self.init(
      policy: AppliedPolicy(id: policyId, displayName: displayName), setting: setting, value: value, blocks: blocks)
    self.text = text
  }
}
