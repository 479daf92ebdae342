import Model
import Policy
import Support

/// The tokens that were asked for before an attempt, and the refusals.
struct TokenGrants: Sendable {
  private enum Grant: Sendable {
    case token(HostSecret)
    case refusal(String)
  }

  /// Without anybody to ask.
  static let none = TokenGrants(hasProvider: false)

  /// Whether there is somebody to ask. If so, an account without a grant is refused, because it was not asked about.
  let hasProvider: Bool
  /// Whether the tokens come from the token command.
  let isFromCommand: Bool
  private var grants: [(account: Account, grant: Grant)] = []

  init(hasProvider: Bool = true, isFromCommand: Bool = false) {
    self.hasProvider = hasProvider
    self.isFromCommand = isFromCommand
  }

  mutating func admit(_ account: Account, _ token: HostSecret) { grants.append((account, .token(token))) }

  mutating func refuse(_ reason: String, for account: Account) { grants.append((account, .refusal(reason))) }

  /// The token for the account; `nil` if there is none.
  func token(for account: Account) -> HostSecret? {
    if case .token(let token)? = grants.first(where: { $0.account.sharesName(with: account) })?.grant {
      token
    } else {
      nil
    }
  }

  /// Why there is no token for the account; `nil` if there is one, or if there is nobody to ask.
  func refusal(for account: Account) -> String? {
    switch grants.first(where: { $0.account.sharesName(with: account) })?.grant {
    case .token: nil
    case .refusal(let reason): EnrollmentText.noToken(reason)
    case nil: hasProvider ? EnrollmentText.noToken("it is asked for at the next attempt") : nil
    }
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
