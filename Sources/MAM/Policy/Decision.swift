import Model

/// An answer with its reason: what is asked and what explains it come from here alike.
package struct Decision<Value: Sendable>: Sendable {
  /// Whose policy decided.
  package enum Party: Sendable { case owner, locationAccount, dataOwner }

  package let value: Value
  /// The setting that decided; nil where none did.
  package let setting: SettingName?
  package let rule: PolicyRule
  package let party: Party

  package init(_ value: Value, _ rule: PolicyRule, _ setting: SettingName? = nil, by party: Party = .owner) {
    self.value = value
    self.setting = setting
    self.rule = rule
    self.party = party
  }
}
