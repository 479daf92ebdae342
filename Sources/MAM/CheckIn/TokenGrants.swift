import Model
import Policy
import Support

/// The tokens that were asked for before an attempt, and the refusals.
struct TokenGrants: Sendable {
  private enum Grant: Sendable {
    /// A tenant folder needs no token, so it is dropped once it is known to be good.
    case token
    case refusal(String)
  }

  /// Without anybody to ask.
  static let none = TokenGrants(hasProvider: false)

  /// Whether there is somebody to ask. If so, an account without a grant is refused, because it was not asked about.
  let hasProvider: Bool
  private var grants: [(account: Account, grant: Grant)] = []

  init(hasProvider: Bool = true) {
    self.hasProvider = hasProvider
  }

  mutating func admit(_ account: Account) { grants.append((account, .token)) }

  mutating func refuse(_ reason: String, for account: Account) { grants.append((account, .refusal(reason))) }

  /// Why there is no token for the account; `nil` if there is one, or if there is nobody to ask.
  func refusal(for account: Account) -> String? {
    switch grants.first(where: { $0.account.sharesName(with: account) })?.grant {
    case .token: nil
    case .refusal(let reason): EnrollmentText.noToken(reason)
    case nil: hasProvider ? EnrollmentText.noToken("it is asked for at the next attempt") : nil
    }
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

extension EnrollmentToken {
  /// Why the token cannot be used for the account in this tenant now; `nil` if it can.
  func fault(for wanted: Account, tenantId wantedTenant: String?, at now: Timestamp) -> String? {
    if token.isEmpty { return "the answer contains an empty token" }
    if let expires, expires <= now { return "the token has expired" }
    if account.accountId == nil, account.identity == nil {
      guard !mustNameAccount else { return "the answer does not say whose token it is" }
    } else if !account.sharesName(with: wanted) {
      return "the token is for another account"
    }
    if let tenantId, let wantedTenant, !wantedTenant.isEmpty,
      tenantId.lowercasedASCII != wantedTenant.lowercasedASCII
    {
      return "the token is for another tenant"
    }
    return nil
  }
}
