import JSON

/// That the application must be restarted, for which account, and what to tell the user.
public struct RestartNotice: Hashable, Sendable {
  public var accountId: String?
  public var identity: String?
  public var message: String

  public init(_ account: Account, message: String) {
    self.init(accountId: account.accountId, identity: account.identity, message: message)
  }

  private init(accountId: String?, identity: String?, message: String) {
    self.accountId = accountId
    self.identity = identity
    self.message = message
  }
}

extension RestartNotice: Record {
  package static let schemaName: String? = "RestartNotice"
  package static let fields = Fields(
    Self.init(accountId:identity:message:),
    Field("accountId", \.accountId, "The Entra object id; null when it is not known."),
    Field("identity", \.identity, "The user principal name; null when it is not known."),
    Field("message", \.message, "What to tell the user."))
}
