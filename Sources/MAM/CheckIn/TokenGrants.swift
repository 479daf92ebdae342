import Model
import Policy
import Support

/// The tokens that were asked for before an attempt, and the refusals.
struct TokenGrants: Sendable {
  private enum Grant: Sendable {
    case token(HostSecret)
    case refusal(String)
  }

  static let none = TokenGrants()

  private var grants: [(account: Account, grant: Grant)] = []

  mutating func add(_ token: HostSecret, for account: Account) { grants.append((account, .token(token))) }

  mutating func refuse(_ reason: String, for account: Account) { grants.append((account, .refusal(reason))) }

  /// Why there is no token for the account; `nil` if there is one, or if nobody was asked.
  func refusal(for account: Account) -> String? {
    if case .refusal(let reason)? = grant(for: account) { EnrollmentText.noToken(reason) } else { nil }
  }

  /// The token to send to the policy source; `nil` if nobody was asked. A tenant folder needs none.
  func token(for account: Account) -> HostSecret? {
    if case .token(let token)? = grant(for: account) { token } else { nil }
  }

  private func grant(for account: Account) -> Grant? {
    grants.first { $0.account.sharesName(with: account) }?.grant
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
