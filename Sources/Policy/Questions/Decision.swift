import Model

/// Whose policy decided: that of the account that was asked about, or another's.
package enum DecidingParty: Sendable { case owner, locationAccount, dataOwner, receiver, anyAccount }

/// An answer with its reason: what is asked and what explains it come from here alike.
package struct Decision<Value: Sendable>: Sendable {
  package let value: Value
  /// The setting that decided; nil where none did.
  package let setting: SettingName?
  package let rule: PolicyRule
  package let party: DecidingParty
  /// Who that is; nil for the account that was asked about.
  package let other: AccountReference?

  package init(
    _ value: Value, _ rule: PolicyRule, _ setting: SettingName? = nil, by party: DecidingParty = .owner,
    _ other: AccountReference? = nil
  ) {
    self.value = value
    self.setting = setting
    self.rule = rule
    self.party = party
    self.other = other
  }

  /// Another answer for the same reason.
  package func map<Other>(_ transform: (Value) -> Other) -> Decision<Other> {
    Decision<Other>(transform(value), rule, setting, by: party, other)
  }
}
