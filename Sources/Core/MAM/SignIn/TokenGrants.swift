import Model
import Policy
import Support

/// The tokens that were asked for before an attempt, and the refusals.
struct TokenGrants: Sendable {
  private enum Grant: Sendable {
    case token(HostSecret)
    case refusal(String)
    /// The policy source could not get a token.
    case fault(SourceFault)
  }

  /// Who gives the tokens.
  enum Origin: Sendable { case nobody, host, command, source }

  /// Without anybody to ask.
  static let none = TokenGrants(origin: .nobody)

  let origin: Origin
  /// Until when the policy source may be asked; `nil` for its usual time.
  var deadline: ContinuousClock.Instant?
  /// Whether a person has made the call, who can be asked to sign in, and in which window.
  var isForUser = false
  var window: String?
  private var grants: [(account: Account, grant: Grant)] = []

  init(origin: Origin = .host) { self.origin = origin }

  mutating func admit(_ account: Account, _ token: HostSecret) { set(.token(token), for: account) }

  mutating func refuse(_ reason: String, for account: Account) { set(.refusal(reason), for: account) }

  mutating func fail(_ fault: SourceFault, for account: Account) { set(.fault(fault), for: account) }

  private mutating func set(_ grant: Grant, for account: Account) {
    grants.removeAll { $0.account.sharesName(with: account) }
    grants.append((account, grant))
  }

  private func grant(for account: Account) -> Grant? {
    grants.first { $0.account.sharesName(with: account) }?.grant
  }

  /// The token for the account; `nil` if there is none.
  func token(for account: Account) -> HostSecret? {
    if case .token(let token)? = grant(for: account) { token } else { nil }
  }

  /// Whether a host or the token command was asked for a token for the account, and gave none.
  func isRefused(for account: Account) -> Bool {
    if case .refusal? = grant(for: account) { true } else { false }
  }

  /// Why the policy source could not get a token for the account; `nil` if it did, or was not asked.
  func fault(for account: Account) -> SourceFault? {
    if case .fault(let fault)? = grant(for: account) { fault } else { nil }
  }

  /// The accounts whose users must sign in.
  var needingUser: [(account: Account, fault: SourceFault)] {
    grants.compactMap { account, grant in
      if case .fault(let fault) = grant, fault.kind == .signInNeeded { (account, fault) } else { nil }
    }
  }

  /// Why there is no token for the account; `nil` if there is one, or if there is nobody to ask.
  func refusal(for account: Account) -> String? {
    switch grant(for: account) {
    case .token: nil
    case .refusal(let reason): EnrollmentText.noToken(reason)
    case .fault(let fault): fault.text
    // An account without a grant was not asked about.
    case nil: origin == .nobody ? nil : EnrollmentText.noToken("it is asked for at the next attempt")
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
