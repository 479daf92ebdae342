import JSON

/// An app to which data could be shared.
public struct ShareTarget: Hashable, Sendable {
  /// The app's bundle id or package id.
  public var id: String
  public var managed: Bool
  /// The account that it would receive the data for; nil when that is not known.
  public var account: AccountReference?

  public init(id: String, managed: Bool, account: AccountReference? = nil) {
    self.id = id
    self.managed = managed
    self.account = account
  }
}

extension ShareTarget: Record {
  package static let schemaName: String? = "ShareTarget"
  package static let fields = Fields(
    Self.init(id:managed:account:), Field("id", \.id, "The app's bundle id, on Android its package id."),
    Field("managed", \.managed, "Whether the app is managed."),
    Field("account", \.account, "The account that it receives for; null when that is not known."))
}
