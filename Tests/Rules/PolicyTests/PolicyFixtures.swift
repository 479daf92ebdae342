import JSON
import Support
import TestSupport
import Testing

@testable import Model
@testable import Policy

extension PolicyQuestions {
  static func of(_ text: String, account: AccountReference = "alice@contoso.example") throws -> PolicyQuestions {
    let document = try PolicyDocument.of("policy", .ios, text)
    return PolicyQuestions(policy: CompiledPolicy(merging: [document], platform: .ios), account: account)
  }
}

/// Managed accounts by UPN, of which each also has an object id.
struct FixedAccounts: AccountPolicies {
  var policies: [AccountReference: CompiledPolicy] = [:]
  var userPrincipalNames: [AccountReference: AccountReference] = [:]

  static let nobody = FixedAccounts()

  let managed: [ManagedAccount] = []
  var effective: AccountReference?

  func policy(of account: AccountReference) -> CompiledPolicy? { policies[userPrincipalNames[account] ?? account] }

  func areEqual(_ first: AccountReference, _ second: AccountReference) -> Bool {
    (userPrincipalNames[first] ?? first) == (userPrincipalNames[second] ?? second)
  }

  func standing(of account: AccountReference) -> AccountStanding {
    AccountStanding(Account(accountId: nil, identity: account.text))
  }
}

/// A PIN that was set, as a store would keep it.
struct FixedPIN: PINRecord {
  var isSet = true
  var tries = 0
  var setAt = Timestamp(milliseconds: 0)
  var typedAt = Timestamp(milliseconds: 0)
  var activeAt = Timestamp(milliseconds: 0)
  var unfitForm = ""
}

extension PINTraits {
  init(_ pin: String) { self = Array(pin.utf8).withUnsafeBytes(PINTraits.init(utf8:)) }
}
