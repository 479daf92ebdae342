import Model

/// What the policy source says of an account, whatever was known before.
enum SourceAnswer: Sendable {
  case delivery(Delivery)
  /// The account gets nothing new; the text says why and what to do.
  case refusal(EnrollmentStatusCode, String)
}

/// What the policy source has for an account in this app.
struct Delivery: Sendable {
  let user: TenantUser
  let isMDM: Bool
  let policies: [PolicyDocument]
  let configurations: [ConfigurationDocument]
  let mdmConfiguration: [String: String]

  /// With the names as the source writes them.
  var account: Account { Account(accountId: user.id.lowercasedASCII, identity: user.userPrincipalName) }

  /// Whether there is neither policy nor configuration: such an account is not enrolled.
  var isEmpty: Bool { policies.isEmpty && configurations.isEmpty && mdmConfiguration.isEmpty }
}
