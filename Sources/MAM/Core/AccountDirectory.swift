import Model

/// Which names belong to one account, as far as any policy source has told.
package struct AccountDirectory: Sendable {
  /// User principal names by object id.
  let identities: [String: String]
  private let accountIds: [String: String]

  /// User principal names by object id in lower case.
  init(_ identities: [String: String]) {
    self.identities = identities
    accountIds = Dictionary(
      identities.map { ($0.value.lowercasedASCII, $0.key) }, uniquingKeysWith: { first, _ in first })
  }

  /// The object id in lower case; nil where none is known, and for no user.
  package func accountId(of reference: AccountReference) -> String? {
    switch reference.kind {
    case .noUser: nil
    case .objectId: reference.key
    case .userPrincipalName: accountIds[reference.key]
    }
  }

  /// Both halves, as far as they are known.
  package func account(of reference: AccountReference) -> Account {
    switch reference.kind {
    case .noUser: return .noUser
    case .objectId: return Account(accountId: reference.key, identity: identities[reference.key])
    case .userPrincipalName:
      let accountId = accountIds[reference.key]
      return Account(accountId: accountId, identity: accountId.flatMap { identities[$0] } ?? reference.text)
    }
  }

  /// Equal names, or names of one known object id. Null equals only null, "" only "".
  package func areEqual(_ first: AccountReference?, _ second: AccountReference?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    if first == second { return true }
    guard let accountId = accountId(of: first) else { return false }
    return accountId == self.accountId(of: second)
  }

  /// Every name and id there is; for finding them in texts.
  var names: [String] { Array(identities.keys) + Array(identities.values) }
}
