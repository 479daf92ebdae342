import JSON

/// An account in a result. An unknown half is nil; "no user" is both empty.
public struct Account: Hashable, Sendable {
  /// The Entra object id, lower case.
  public var accountId: String?
  /// The user principal name, as the policy source writes it.
  public var identity: String?

  public init(accountId: String?, identity: String?) {
    self.accountId = accountId
    self.identity = identity
  }

  public static let noUser = Account(accountId: "", identity: "")
}

extension Account: Record {
  package static let schemaName: String? = "Account"
  package static let fields = Fields(
    Self.init(accountId:identity:),
    Field("accountId", \.accountId, "The Entra object id; null when it is not known, \"\" for no user."),
    Field("identity", \.identity, "The user principal name; null when it is not known, \"\" for no user."))
}

extension Account {
  /// The name by which it is asked about: the object id, before that is known the user principal name; nil where
  /// neither is.
  package var reference: AccountReference? { (accountId ?? identity).map { AccountReference($0) } }
}
