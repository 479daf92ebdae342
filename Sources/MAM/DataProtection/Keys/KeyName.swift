import Model

/// Which identity key is meant, in all its epochs.
package struct KeyName: Hashable, Sendable {
  package enum Scope: Hashable, Sendable {
    /// Files at rest of one app.
    case app(String)
    /// What the managed apps of one account hand to each other.
    case shared
    /// What has an owner but is not encrypted.
    case device
  }

  /// The object id, or the user principal name while that is not known; in lower case. Empty for the device.
  let account: String
  let scope: Scope

  static let device = KeyName(account: "", scope: .device)

  private init(account: String, scope: Scope) {
    self.account = account
    self.scope = scope
  }

  /// Nil for no user and for an account of which nothing is known.
  init?(accountId: String?, identity: String?, scope: Scope) {
    let name = accountId.flatMap { $0.isEmpty ? nil : $0 } ?? identity ?? ""
    guard !name.isEmpty else { return nil }
    self.init(account: name.lowercasedASCII, scope: scope)
  }

  package init?(_ account: Account, _ scope: Scope) {
    self.init(accountId: account.accountId, identity: account.identity, scope: scope)
  }

  /// What the folder's name is the HMAC of. No scope holds a zero byte, so no two names give the same bytes.
  var bytes: [UInt8] { Array(account.utf8) + [0] + Array(scopeText.utf8) }

  private var scopeText: String {
    switch scope {
    case .app(let id): "app:" + id
    case .shared: "shared"
    case .device: "device"
    }
  }
}
