import JSON

/// The accounts that the administrator allows in the app.
public struct AllowedAccounts: Hashable, Sendable {
  /// Nil when every account is allowed.
  public var allowedAccounts: [Account]?

  public init(allowedAccounts: [Account]?) {
    self.allowedAccounts = allowedAccounts
  }
}

extension AllowedAccounts: Record {
  package static let schemaName: String? = "AllowedAccounts"
  package static let fields = Fields(
    Self.init(allowedAccounts:),
    Field("allowedAccounts", \.allowedAccounts, "The accounts; null when every account is allowed."))
}
