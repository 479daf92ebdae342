import Cryptography
import JSON
import ServiceSource
import SourceProtocol

/// The user of a sign-in, as far as the tokens say it.
package struct SignInAccount: Hashable, Sendable {
  /// The claim `oid`.
  package var objectId: String?
  /// The claim `tid`.
  package var tenantId: String?
  /// The names by which people know the user, the best one first.
  package var names: [String]

  package init(objectId: String? = nil, tenantId: String? = nil, names: [String] = []) {
    (self.objectId, self.tenantId, self.names) = (objectId, tenantId, names)
  }

  /// For messages.
  package var shownName: String { (names.first ?? objectId ?? "an account without a name").shown(atMost: 100) }

  private static let nameClaims = ["upn", "preferred_username", "unique_name", "email"]

  /// From the tokens of one answer, of which the first is believed first. Tokens that are not readable say nothing:
  /// their form is a matter between the provider and the service. Signatures are not checked, because the tokens come
  /// from the provider itself, and decide only under which name they are kept.
  init(of tokens: [String]) {
    let claims = tokens.compactMap(TokenClaims.read)
    func first(_ name: String) -> String? { claims.lazy.compactMap { $0.claim(name) }.first }
    self.init(objectId: first("oid"), tenantId: first("tid"))
    for name in Self.nameClaims.lazy.compactMap(first) where !has(name) { names.append(name) }
  }

  /// Whether this is one of the names, whatever the case of its letters.
  func has(_ name: String) -> Bool {
    let name = name.lowercased()
    return names.contains { $0.lowercased() == name } || objectId?.lowercased() == name
  }

  /// Whether both are the same user of one provider.
  func isSame(as other: SignInAccount) -> Bool {
    if let objectId, let otherId = other.objectId {
      return objectId.lowercased() == otherId.lowercased() && tenantId?.lowercased() == other.tenantId?.lowercased()
    }
    guard objectId == nil, other.objectId == nil else { return false }
    return names.first?.lowercased() == other.names.first?.lowercased()
  }

  /// Whether the tokens contradict what was wanted. What neither says, the service decides.
  func contradicts(_ wanted: SourceAccount) -> Bool {
    if let accountId = wanted.accountId, let objectId { return accountId.lowercased() != objectId.lowercased() }
    guard let identity = wanted.identity, !names.isEmpty else { return false }
    return !has(identity)
  }
}

extension [StoredSignIn] {
  /// The one for an account: by its object id, else by its name, else the only one that has neither, or, if no account
  /// is named, the only one. `nil` if there is none, or if the choice would be a guess.
  func choose(_ wanted: SourceAccount) -> StoredSignIn? {
    var rest = self
    if let id = wanted.accountId?.lowercased() {
      if let found = first(where: { $0.account.objectId?.lowercased() == id }) { return found }
      rest.removeAll { $0.account.objectId != nil }
    }
    if let name = wanted.identity {
      if let found = rest.first(where: { $0.account.has(name) }) { return found }
      rest.removeAll { $0.account.objectId != nil || !$0.account.names.isEmpty }
    }
    let accounts = rest.reduce(into: [SignInAccount]()) { accounts, signIn in
      if !accounts.contains(where: signIn.account.isSame) { accounts.append(signIn.account) }
    }
    return accounts.count == 1 ? rest.first : nil
  }
}

/// Reads claims without checking the signature.
private enum TokenClaims {
  private static let largest = 64 << 10

  static func read(_ token: String) -> JSONObject? {
    guard token.utf8.count <= largest else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64Text.decode(String(parts[1])) else { return nil }
    return (try? JSONValue(parsing: payload))?.objectValue
  }
}

extension JSONObject {
  private static let longestClaim = 500

  /// A text that is not empty and not endless.
  fileprivate func claim(_ name: String) -> String? {
    self[name]?.stringValue.flatMap { $0.isEmpty || $0.utf8.count > Self.longestClaim ? nil : $0 }
  }
}
