import Model

/// Which names belong to the same account, according to the policy source: of registered and allowed accounts, of the
/// user of a managed device, and of accounts with a test policy.
package struct AccountDirectory: Sendable {
  /// User principal names by object id.
  private(set) var identities: [String: String]
  private var accountIds: [String: String]
  /// Every known name and id, for finding them in texts.
  private(set) var names: KnownNames

  /// User principal names by object id in lower case. A name that occurs twice belongs to the lowest id.
  package init(_ identities: [String: String]) {
    self.identities = identities
    names = KnownNames(Array(identities.keys) + Array(identities.values))
    accountIds = Dictionary(identities.map { ($0.value.lowercasedASCII, $0.key) }, uniquingKeysWith: min)
  }

  /// The same directory with a name of one more id; `nil` if the id has another name here.
  func adding(_ accountId: String, _ identity: String) -> AccountDirectory? {
    guard identities[accountId] == nil else { return nil }
    var more = self
    let name = identity.lowercasedASCII
    more.identities[accountId] = identity
    more.accountIds[name] = accountIds[name].map { min($0, accountId) } ?? accountId
    more.names = names.adding([accountId, identity])
    return more
  }

  /// The object id in lower case; `nil` if it is unknown, and for no user.
  ///
  /// A tenant may use ids that are not GUIDs. Such a text is looked up as a name first, then as an id.
  package func accountId(of reference: AccountReference) -> String? {
    switch reference.kind {
    case .noUser: nil
    case .objectId: reference.key
    case .userPrincipalName: accountIds[reference.key] ?? (identities[reference.key] == nil ? nil : reference.key)
    }
  }

  /// The object id and the user principal name, as far as they are known.
  package func account(of reference: AccountReference) -> Account {
    guard reference.kind != .noUser else { return .noUser }
    let accountId = accountId(of: reference)
    let name = reference.kind == .userPrincipalName ? reference.text : nil
    return Account(accountId: accountId, identity: accountId.flatMap { identities[$0] } ?? name)
  }

  /// Whether both references name the same account, by equal names or by names of one known object id. Null equals only
  /// null, and "" only "".
  package func areEqual(_ first: AccountReference?, _ second: AccountReference?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    if first == second { return true }
    guard let accountId = accountId(of: first) else { return false }
    return accountId == self.accountId(of: second)
  }
}

extension AccountDirectory {
  /// Forgets the users who are only listed by the policy source: older versions stored all of them.
  static let migration = """

    DELETE FROM directory
      WHERE account_id NOT IN (
          SELECT lower(account_id) FROM accounts UNION SELECT lower(identity) FROM accounts
          UNION SELECT account FROM test_policies)
        AND lower(identity) NOT IN (SELECT lower(identity) FROM accounts UNION SELECT account FROM test_policies)
        AND NOT EXISTS (
          SELECT 1 FROM facts WHERE name IN ('allowedAccounts', 'mdmEnrolledAccount')
            AND instr(lower(value), directory.account_id) > 0);
    """
}

extension AccountDirectory {
  /// The accounts without other names of those before them.
  func folding(_ references: [AccountReference]) -> [AccountReference] {
    var known: Set<String> = []
    return references.filter { known.insert(accountId(of: $0) ?? $0.key).inserted }
  }
}

/// An account in a form that references can be compared with.
struct AccountKey: Sendable {
  private let accountId: String?
  private let identity: String?

  init(_ account: Account) {
    accountId = account.accountId?.lowercasedASCII
    identity = account.identity?.lowercasedASCII
  }

  /// Whether the reference names the account: by its id or name, or by another name that the directory knows for its
  /// object id, even one that was learned after the account was stored.
  func isNamed(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    if reference.kind == .noUser { return false }
    if reference.key == accountId { return true }
    let meant = directory.accountId(of: reference)
    // The stored name may belong to another user by now.
    if reference.key == identity { return accountId == nil || meant == nil || meant == accountId }
    guard let known = accountId ?? identity.flatMap({ directory.accountId(of: AccountReference($0)) }) else {
      return false
    }
    return meant == known
  }
}

extension Account {
  /// Whether both are the same account. The object ids decide if both are known, otherwise the user principal names.
  func sharesName(with other: Account) -> Bool {
    if let accountId, let others = other.accountId { return accountId.lowercasedASCII == others.lowercasedASCII }
    guard let identity, let others = other.identity else { return false }
    return identity.lowercasedASCII == others.lowercasedASCII
  }
}
