import Model

/// Which names belong to one account, as far as any policy source has told.
package struct AccountDirectory: Sendable {
  /// User principal names by object id.
  let identities: [String: String]
  private let accountIds: [String: String]

  /// User principal names by object id in lower case. A name that stands twice belongs to the lowest id.
  package init(_ identities: [String: String]) {
    self.identities = identities
    accountIds = Dictionary(identities.map { ($0.value.lowercasedASCII, $0.key) }, uniquingKeysWith: min)
  }

  /// The object id in lower case; nil where none is known, and for no user.
  ///
  /// A tenant may use ids that are no GUID: such a text is a name first, else an id.
  package func accountId(of reference: AccountReference) -> String? {
    switch reference.kind {
    case .noUser: nil
    case .objectId: reference.key
    case .userPrincipalName: accountIds[reference.key] ?? (identities[reference.key] == nil ? nil : reference.key)
    }
  }

  /// Both halves, as far as they are known.
  package func account(of reference: AccountReference) -> Account {
    guard reference.kind != .noUser else { return .noUser }
    let accountId = accountId(of: reference)
    let name = reference.kind == .userPrincipalName ? reference.text : nil
    return Account(accountId: accountId, identity: accountId.flatMap { identities[$0] } ?? name)
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

/// An account in the form in which references are compared with it.
struct AccountKey: Sendable {
  private let accountId: String?
  private let identity: String?

  init(_ account: Account) {
    accountId = account.accountId?.lowercasedASCII
    identity = account.identity?.lowercasedASCII
  }

  /// By either half, or by another name that the directory knows for the same object id: also where it has learnt that
  /// since the account was last met.
  func isNamed(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    if reference.kind == .noUser { return false }
    if reference.key == accountId || reference.key == identity { return true }
    guard let known = accountId ?? identity.flatMap({ directory.accountId(of: AccountReference($0)) }) else {
      return false
    }
    return directory.accountId(of: reference) == known
  }
}
