import JSON
import Model
import Tenancy

/// The user that a token is about, as the tenant knows it.
enum MatchedUser: Sendable {
  case listed(TenantUser)
  /// The tenant does not list the user. `id` is the object id; or the name, for a token without one, of a user who was
  /// never listed.
  case unknown(id: String)
}

/// Finds the user of a token, and whether an account is that user's.
struct CallerMatch: Sendable {
  let edition: TenantEdition
  /// The claim that stands in for the object id; `nil` for none.
  let userClaim: String?
  /// The registration that asks, if its secret was right.
  let known: Registration?

  /// Throws `forbidden` if the token is for another tenant or names nobody, or the account is somebody else's: an outcome
  /// such as `userDeleted` can lead to a wipe, so it is only said about the account of the token's user.
  func user(of caller: Caller, asking account: WireAccount) throws(Problem) -> MatchedUser {
    if let tenant = caller.tenantId, tenant.lowercasedASCII != edition.tenantId {
      throw Problem(.forbidden, "the token is for another tenant")
    }
    guard let objectId = caller.objectId?.lowercasedASCII else { return try userByClaim(of: caller, asking: account) }
    guard caller.tenantId != nil else { throw Problem(.forbidden, "the token names no tenant") }
    return try user(objectId, names: Self.names(of: caller), asking: account)
  }

  private func userByClaim(of caller: Caller, asking account: WireAccount) throws(Problem) -> MatchedUser {
    guard let userClaim, let name = caller.claims[userClaim]?.stringValue, !name.isEmpty else {
      throw Problem(.forbidden, "the token names no user")
    }
    return try user(name.lowercasedASCII, names: [name.lowercasedASCII], asking: account)
  }

  private func user(_ id: String, names: [String], asking account: WireAccount) throws(Problem) -> MatchedUser {
    let asked = account.identity.flatMap { $0.text.isEmpty ? nil : $0.text.lowercasedASCII }
    let user = edition.user(id)
    let objectId = user?.id.lowercasedASCII ?? formerUser(named: id) ?? id
    let isOwn: Bool =
      if let accountId = account.accountId {
        accountId.text == objectId
      } else if let asked {
        ((user.map { [$0.userPrincipalName, $0.mail ?? ""] } ?? []).map(\.lowercasedASCII) + names).contains(asked)
      } else {
        true
      }
    guard isOwn else { throw Problem(.forbidden, "the token is not for this account") }
    return user.map { .listed($0) } ?? .unknown(id: objectId)
  }

  /// The object id of a user whom the tenant listed with this name when the registration last got its policies.
  private func formerUser(named name: String) -> String? {
    known.flatMap { $0.facts.userPrincipalName.lowercasedASCII == name ? $0.userId : nil }
  }

  /// The names that the provider vouches for. A name that the user can choose is none of them.
  private static func names(of caller: Caller) -> [String] {
    ["upn", "preferred_username"].compactMap { caller.claims[$0]?.stringValue?.lowercasedASCII }
  }
}
